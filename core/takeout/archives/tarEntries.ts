import { type ByteSource, readFrom } from '@lantern-room/mp4/source'
import { plainPath } from '../names/folders'
import type { ExportEntry, ExportFiles, ExportProblem } from './exportEntry'
import { readTar } from './readTar'
import { LEADS_OUT, leadsOut, type Unpacking } from './zipEntries'

const WINDOW_BYTES = 64 * 1024

/**
 * The files in a tar archive, to be read where they lie.
 * @param label of the archive, for its own problems
 * @returns undefined when it is none
 * @example const files = await tarEntries(source, 'takeout-001.tgz', unpacking)
 */
export async function tarEntries(
  tar: ByteSource,
  label: string,
  { partOf, signal }: Pick<Unpacking, 'partOf' | 'signal'>,
): Promise<ExportFiles | undefined> {
  const listing = await readFrom(readTar(tar), tar, signal, WINDOW_BYTES)
  if (!listing) return undefined
  const cut = 'The archive is cut: what is behind that is missing. Download it again.'
  const problems: ExportProblem[] = listing.isCut ? [{ path: label, kind: 'cut', reason: cut }] : []
  const entries: ExportEntry[] = []
  for (const { name, start, size } of listing.records) {
    const path = name.replace(/^\.\//, '')
    if (leadsOut(path)) problems.push({ path, kind: 'leadsOut', reason: LEADS_OUT })
    else
      entries.push({
        path,
        plain: plainPath(path),
        size,
        modifiedMs: undefined,
        original: undefined,
        open: async () => ({ source: partOf(tar, start, start + size), close: async () => undefined }),
      })
  }
  return { entries, problems }
}
