/** How long a browser may take to begin with what was clicked. */
const KEPT_MS = 10_000

/** Saves bytes as a file of this name, as a click on a link does. */
export function saveFile(bytes: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}
