/** What other packages may use. @see core/adapters/README.md */

export {
  linkOutput,
  type OpenSource,
  openKept,
  removeUnpacked,
  unpackDeflated,
  unpackGzip,
  writeParts,
} from './copyOutput'
export { entryAt } from './entries'
export {
  commonMode,
  listNames,
  modificationTime,
  openFileSource,
  readInputHead,
  realPlace,
  saveStandardInput,
} from './inputFile'
export {
  checkFolder,
  checkOutput,
  makeOutputFolder,
  sweepUnfinished,
  writeOutput,
  writeOutputFolder,
} from './outputFile'
export { createWorkFolders } from './workFolders'
