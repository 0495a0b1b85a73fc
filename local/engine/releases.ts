/**
 * The release of Kubernetes that is downloaded, and what its files must hash to: pure data, in one place. Every sum was
 * read in public text, and in several places that have nothing to do with each other
 * (docs/decisions/engine-from-modules.md); none was computed from a file.
 */

/** An archive at a place, by the SHA-512 of its bytes. */
export interface Archive {
  url: string;
  sha512: string;
}

/** A container image, by the digest of its index of platforms, and the program in it. */
export interface PinnedImage {
  registry: string;
  name: string;
  digest: string;
  /** Its path in the image. */
  program: string;
}

export interface Release {
  /** Of Kubernetes, as in `1.37.0`. */
  version: string;
  archive: Archive;
  /** The folder of the programs in the archive. */
  folder: string;
  /** On Linux alone: images have no other system. */
  controllerManager?: PinnedImage;
}

const VERSION = '1.37.0';
const ENVTEST = `https://github.com/kubernetes-sigs/controller-tools/releases/download/envtest-v${VERSION}`;

/** By platform and processor, as releases name them: what `envtest-releases.yaml` of controller-tools has. */
const SHA512: Readonly<Record<string, string>> = {
  'linux-amd64':
    '1d1c453633b72c161a5d5a886cde7ac850be1a2ac796a9e1d4ffacacc64868295bdd2d57aa66cd0c158f5ce510f5dfe3fbc61ac21bd3dcfb875bd70658aa663a',
  'linux-arm64':
    'ae6a670502988200b0131c943758cfd3d3a58cf4e6247ef7f0e6a6467f1cd9a333c802e86101f0446b1b92a0e327387224e1e44fe1a4693da0929c6e529cfe9a',
  'darwin-amd64':
    '19a2a5376a8aa57a7b25ec5198834db29bf2ba0d6ff572d7f45ba683b13fb14c3ebec8069e92db66c39f1c7a9cff1bc2be879e2aacdc9fa8b8a7e861959bdf7b',
  'darwin-arm64':
    'fb38cfacdd71b5e97a4d4cceac861af5f55069cf783f0e49cf181bfc32eb3e557c2091a534dc5d38f1b92c5ba142bc1979f215a5385b3630ea6a661be6fa161b',
};

const CONTROLLER_MANAGER: PinnedImage = {
  registry: 'https://registry.k8s.io',
  name: 'kube-controller-manager',
  digest: 'sha256:997c997924eb8574f63f204a0b0af133aaf33c10df84009c32d34037f4e0e077',
  program: 'usr/local/bin/kube-controller-manager',
};

/** As releases call processors. */
export const ARCHITECTURE: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** What there is for `platform` and `arch` as Node names them; `undefined` where there is nothing. */
export function releaseFor(platform: string, arch: string): Release | undefined {
  const name = `${platform}-${ARCHITECTURE[arch]}`;
  const sha512 = Object.hasOwn(SHA512, name) ? SHA512[name] : undefined;
  if (!sha512) return undefined;
  return {
    version: VERSION,
    archive: { url: `${ENVTEST}/envtest-v${VERSION}-${name}.tar.gz`, sha512 },
    folder: 'controller-tools/envtest',
    ...(platform === 'linux' && { controllerManager: CONTROLLER_MANAGER }),
  };
}
