/** An export as a whole: its files are opened, understood, and put together once each. @see core/takeout/README.md */

export { isArchiveName, isZipName } from './archives/archiveNames'
export type { ExportEntry, ExportFiles, ExportProblem, OpenEntry, ProblemKind } from './archives/exportEntry'
export { missingParts } from './archives/missingParts'
export { tarEntries } from './archives/tarEntries'
export { type Unpacking, zipEntries } from './archives/zipEntries'
export type { Content, Doing, Results } from './work/doWork'
export { type AlbumChoice, albumsOf, type Folder } from './work/placeWork'
export type { Editions, Work } from './work/planTakeout'
export { hasBytesOf, ResultNames } from './work/results'
export {
  type Found,
  KINDS,
  type Kind,
  type Line,
  planExport,
  type Running,
  readExport,
  runWorks,
  STATUSES,
  type Status,
  type Telling,
} from './work/runExport'
