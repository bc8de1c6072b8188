import { join } from 'node:path'
import { ServiceError } from '#core/errors'
import type { ByteSource } from '#core/formats/source/byteSource'
import { readTrialRecord, TRIAL_FILE, type TrialRecord } from '#core/media/trial/trialRecord'
import { readVerdicts, VERDICTS_FILE, type Verdict, verdictsJson } from '#core/media/trial/verdicts'

export type TrialFiles = {
  /** @throws ServiceError `not-found` */
  openPhoto(path: string): Promise<ByteSource>
  readonly writeOutput: WriteOutput
}

/** Writes a file whole or not at all. */
export type WriteOutput = (
  path: string,
  bytes: Uint8Array,
  options: {
    readonly mayOverwrite: boolean
    readonly signal: AbortSignal
    readonly modifiedMs?: number | undefined
  },
) => Promise<void>

export type TrialFolder = {
  /** @returns undefined when there is no such file */
  read(name: string): Promise<Uint8Array | undefined>
  write(name: string, bytes: Uint8Array, modifiedMs?: number): Promise<void>
  /** @returns undefined when the folder holds no trial @throws ServiceError `invalid-request` when its index is unreadable */
  readTrial(): Promise<TrialRecord | undefined>
  /** @throws ServiceError `invalid-request` when their file is unreadable */
  readVerdicts(): Promise<readonly Verdict[]>
  /** Changes the verdicts; one change after the other. @throws what `change` throws; then they stay */
  updateVerdicts(change: (verdicts: readonly Verdict[]) => readonly Verdict[]): Promise<readonly Verdict[]>
}

/** The folder of a trial: photos, their index, the verdicts. */
export function openTrialFolder(folder: string, files: TrialFiles, signal: AbortSignal): TrialFolder {
  let lastUpdate: Promise<unknown> = Promise.resolve()
  return {
    read,
    write,
    async readTrial() {
      const json = await read(TRIAL_FILE)
      const trial = json && readTrialRecord(json)
      if (!json || trial) return trial
      throw new ServiceError(
        'invalid-request',
        `Its ${TRIAL_FILE} is not one that this program reads. Name another folder with --out.`,
      )
    },
    readVerdicts: readAll,
    updateVerdicts(change) {
      const update = lastUpdate.then(async () => {
        const changed = change(await readAll())
        await write(VERDICTS_FILE, new TextEncoder().encode(verdictsJson(changed)))
        return changed
      })
      lastUpdate = update.catch(() => undefined)
      return update
    },
  }

  async function read(name: string): Promise<Uint8Array | undefined> {
    try {
      const source = await files.openPhoto(join(folder, name))
      return await source.read(0, source.size)
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not-found') return undefined
      throw error
    }
  }

  function write(name: string, bytes: Uint8Array, modifiedMs?: number): Promise<void> {
    return files.writeOutput(join(folder, name), bytes, { mayOverwrite: true, signal, modifiedMs })
  }

  async function readAll(): Promise<readonly Verdict[]> {
    return readVerdicts(await read(VERDICTS_FILE))
  }
}
