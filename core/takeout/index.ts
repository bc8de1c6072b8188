/** What other packages may use. @see core/takeout/README.md */

export { readTar, type TarListing, type TarRecord } from './archives/readTar'
export { isAccountFile, plainPath, tableOf, yearOf } from './names/folders'
export { matchSideCars, type NamedSideCar } from './names/matchSideCars'
export { clipNames, type NameKind, type NameParts, originalStem, partsOf } from './names/nameParts'
export { safeName } from './names/safeName'
export { folded, withoutEntities } from './names/spelling'
export { type GoogleJson, MAX_JSON_BYTES, readGoogleJson } from './words/googleJson'
export { MAX_TABLE_BYTES, readAlbumTable, readPhotoDetails, type TableRow } from './words/icloudTables'
export { joinSaid, NOTHING_SAID, type Said } from './words/said'
export { zoneAt } from './words/zoneAt'
