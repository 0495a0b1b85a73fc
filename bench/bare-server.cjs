/** The least that a function could be: what its start is compared with. */
const { createServer } = require('node:http');

createServer((_, response) => response.writeHead(202).end()).listen(process.env.PORT);
