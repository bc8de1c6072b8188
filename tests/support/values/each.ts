/** One field of every item of a list, to compare them together. */
export function each<T, K extends keyof T>(items: readonly T[], field: K): T[K][] {
  return items.map((item) => item[field])
}
