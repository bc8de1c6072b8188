import type { ByteSource } from '@lantern-room/mp4/source'

/** A file of an export, wherever it lies. */
export type ExportEntry = {
  /** Inside the export, as the report names it. */
  readonly path: string
  /** The same without the folders around the export: its parts have these in common. */
  readonly plain: string
  readonly size: number
  /** Unix time in milliseconds; undefined in archives, where it is that of the export. */
  readonly modifiedMs: number | undefined
  /** Its path on this machine, where it is a file of its own. */
  readonly original: string | undefined
  /** Opens its bytes. Those in an archive are compared with their check sum if they are needed whole. @throws ServiceError */
  open(need: 'parts' | 'whole'): Promise<OpenEntry>
}

export type OpenEntry = { readonly source: ByteSource; close(): Promise<void> }

/** What can be wrong with a file before its content is looked at. */
export type ProblemKind = 'missingPart' | 'encrypted' | 'leadsOut' | 'cut' | 'unsafe' | 'empty' | 'other'

/** What cannot be read of an export, in one sentence. */
export type ExportProblem = {
  readonly path: string
  readonly kind: ProblemKind
  readonly reason: string
  /** Whether it is passed over rather than refused. */
  readonly isLeft?: boolean
}

/** The files of an export, and what is wrong with it. */
export type ExportFiles = {
  readonly entries: readonly ExportEntry[]
  readonly problems: readonly ExportProblem[]
}

/**
 * Does work on the bytes of a file, which are closed afterwards.
 * @throws what `work` throws; ServiceError about the file
 */
export async function withEntry<T>(
  entry: ExportEntry,
  need: 'parts' | 'whole',
  work: (source: ByteSource) => Promise<T>,
): Promise<T> {
  const opened = await entry.open(need)
  try {
    return await work(opened.source)
  } finally {
    await opened.close()
  }
}
