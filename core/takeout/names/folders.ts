import rules from '../rules.json'

const [TAKEOUT = '', GOOGLE = '', ICLOUD = ''] = rules.photosFolder.values
const AROUND = [new RegExp(TAKEOUT, 'i'), new RegExp(GOOGLE, 'iu'), new RegExp(ICLOUD, 'i')]
const YEARS = rules.yearFolder.values.map((pattern) => new RegExp(pattern, 'iu'))
const [DETAILS = '', ALBUM_TABLE = ''] = rules.icloudTables.values
const PHOTO_DETAILS = new RegExp(DETAILS, 'i')
const ALBUM = new RegExp(ALBUM_TABLE, 'i')
const ACCOUNT = rules.accountFile.values.map((pattern) => new RegExp(pattern, 'i'))

/**
 * A path inside the export's folder of photos: the parts of a split export have the same.
 * @example plainPath('Takeout/Google Photos/Photos from 2020/a.jpg') // 'Photos from 2020/a.jpg'
 */
export function plainPath(path: string): string {
  return AROUND.reduce((plain, around) => plain.replace(around, ''), path.normalize('NFC'))
}

/**
 * The year whose photos a folder has.
 * @returns undefined for an album
 * @example yearOf('Fotos von 2019') // '2019'
 */
export function yearOf(folder: string): string | undefined {
  return YEARS.map((pattern) => pattern.exec(folder)?.[1]).find((year) => year !== undefined)
}

/**
 * What a table of an iCloud download is of: all photos, or an album. Undefined for another file.
 * @example tableOf('Photos/Photo Details-1.csv') // { kind: 'photos' }
 */
export function tableOf(
  path: string,
): { readonly kind: 'photos' } | { readonly kind: 'album'; readonly title: string } | undefined {
  if (PHOTO_DETAILS.test(path)) return { kind: 'photos' }
  const title = ALBUM.exec(path)?.[1]
  return title === undefined ? undefined : { kind: 'album', title }
}

/**
 * Whether a file is of the account, and of no photo.
 * @example isAccountFile('Takeout/archive_browser.html') // true
 */
export function isAccountFile(path: string): boolean {
  return ACCOUNT.some((pattern) => pattern.test(path))
}
