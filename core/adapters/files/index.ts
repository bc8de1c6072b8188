/** What other packages may use. @see core/adapters/README.md */

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
  entryAt,
  makeOutputFolder,
  sweepUnfinished,
  writeOutput,
  writeOutputFolder,
} from './outputFile'
export { createWorkFolders } from './workFolders'
