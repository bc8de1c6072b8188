/** The port that a player has typed; undefined when it is none. */
export function readPort(text: string): number | undefined {
  if (!/^\d{1,5}$/.test(text.trim())) return undefined
  const port = Number(text)
  return port >= 1 && port <= 65_535 ? port : undefined
}
