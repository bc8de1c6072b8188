import type { ByteSource } from '@lantern-room/mp4/source'
import type { LocalFile } from '../objectStore/ports'
import type { Session } from './session'
import type { Sessions } from './sessions'

/** A file of a session: its bytes in parts, and a path for programs that must seek in it. */
export type Material = { readonly bytes: ByteSource; path(): Promise<string> }

/** Does work with the files of a session. They are checked out when their path is first asked for, and released afterwards. */
export async function withFiles<Result>(
  sessions: Pick<Sessions, 'source' | 'checkOut'>,
  session: Session,
  work: (files: { readonly preview: Material; readonly original: Material }) => Promise<Result>,
): Promise<Result> {
  const opened = new Map<string, Promise<LocalFile>>()

  async function material(file: 'preview' | 'original'): Promise<Material> {
    return {
      bytes: await sessions.source(session, file),
      async path() {
        const local = opened.get(file) ?? sessions.checkOut(session, file)
        opened.set(file, local)
        return (await local).path
      },
    }
  }

  try {
    const [preview, original] = await Promise.all([material('preview'), material('original')])
    return await work({ preview, original })
  } finally {
    for (const file of opened.values()) await (await file.catch(() => undefined))?.release()
  }
}
