import { openFileSource } from '#core/adapters/files/fileSource'
import { modificationTime, readInputHead, saveStandardInput } from '#core/adapters/files/inputFile'
import { listFiles } from '#core/adapters/files/listFiles'
import {
  checkOutput,
  makeOutputFolder,
  writeOutput,
  writeOutputFolder,
} from '#core/adapters/files/outputFile'
import type { UserFiles } from './motionPhotoDependencies'
import { createPhotoInputs } from './photoInputs'

/** The files of this machine, as the command `motion-photo` reads and writes them. */
export const userFiles: UserFiles = {
  ...createPhotoInputs({ readInputHead, listFiles, openFile: openFileSource }),
  modificationTime,
  saveStandardInput,
  checkOutput,
  writeOutput,
  writeOutputFolder,
  makeFolder: makeOutputFolder,
  listFiles,
}
