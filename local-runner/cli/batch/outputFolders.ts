import { dirname } from 'node:path'
import { ServiceError, systemCode } from '@lantern-room/base'
import type { UserFiles } from '../compose'
import { about } from '../failure'

/** What killed runs have left beside the outputs of this one. */
export async function sweepBeside(
  outputs: readonly (string | undefined)[],
  files: Pick<UserFiles, 'sweepUnfinished'>,
): Promise<void> {
  const folders = new Set(outputs.flatMap((output) => (output === undefined ? [] : [dirname(output)])))
  for (const folder of folders) await files.sweepUnfinished(folder)
}

/**
 * Makes the folder of an output.
 * @param out where all outputs of the run go; undefined where each has its own folder
 * @throws ServiceError `unavailable` when nothing can be written in `out`; `invalid-request` when this user may not write in a folder
 *   below it, which costs only what goes there
 */
export async function makeFolderOf(
  output: string,
  out: string | undefined,
  files: Pick<UserFiles, 'makeFolder' | 'checkFolder'>,
): Promise<void> {
  const folder = dirname(output)
  try {
    await about(folder, async () => {
      await files.makeFolder(folder)
      await files.checkFolder(folder)
    })
  } catch (error) {
    if (folder === out || !(error instanceof ServiceError) || !isRightMissing(error)) throw error
    throw new ServiceError('invalid-request', error.detail, { cause: error })
  }
}

const NO_RIGHT: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EROFS']

function isRightMissing({ cause }: Error): boolean {
  return NO_RIGHT.includes(systemCode(cause)) || (cause instanceof Error && isRightMissing(cause))
}
