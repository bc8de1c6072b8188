/**
 * The name of a file without its folders.
 * @example baseOf('Takeout/a.jpg') // 'a.jpg'
 */
export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * The folders of a file; a dot where there are none.
 * @example folderOf('Takeout/a.jpg') // 'Takeout'
 */
export function folderOf(path: string): string {
  const at = path.lastIndexOf('/')
  return at < 0 ? '.' : path.slice(0, at)
}

/** The ending of a name, with its dot; none of a name that begins with its only dot. */
export function endingOf(name: string): string {
  const at = name.lastIndexOf('.')
  return at > 0 ? name.slice(at) : ''
}
