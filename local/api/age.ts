/** How old something is, as Kubernetes prints it: `9s`, `4m30s`, `3h`, `2d4h`. */

/** @param ms milliseconds */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [minutes, hours, days] = [60, 3600, 86400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return both(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return both(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return both(days, 'd', hours % 24, 'h');
  const years = Math.floor(days / 365);
  if (years < 2) return `${days}d`;
  return years < 8 ? both(years, 'y', days % 365, 'd') : `${years}y`;
}

const both = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`;
