const ARCHIVE = /\.(?:zip|tgz|tar|tar\.gz|livp)$/i
const ZIP = /\.(?:zip|livp)$/i

/**
 * Whether a file is an archive by its name: part of an export, or a Live Photo in one file.
 * @example isArchiveName('takeout-001.tgz') // true
 */
export function isArchiveName(path: string): boolean {
  return ARCHIVE.test(path)
}

/**
 * Whether a file is a ZIP by its name, whatever its first bytes are.
 * @example isZipName('IMG_1.livp') // true
 */
export function isZipName(path: string): boolean {
  return ZIP.test(path)
}
