import {
  crc32,
  type LargeZipMember,
  largeZipDirectory,
  largeZipHeader,
  wallClock,
} from '@lantern-room/formats/browser'
import { sizeOfParts } from '@lantern-room/mp4/source'
import { type Content, type Folder, hasBytesOf, ResultNames, type Results } from '@lantern-room/takeout/work'
import { pieceOf, piecesOf, sourceOf } from './sources'

/** Results, and how they are brought to an end, also after a stop. @returns what is to be saved */
export type Target = Results & { finish(): Promise<Blob | undefined> }

/** That the place of the results takes no more: it costs all files. */
export class TargetError extends Error {}

async function writing<T>(done: Promise<T>): Promise<T> {
  try {
    return await done
  } catch (cause) {
    throw new TargetError('the results cannot be written', { cause })
  }
}

/** Into a folder of this device. A file that is there with the same bytes is it already; others of a name stay, too. */
export function resultsInFolder(root: FileSystemDirectoryHandle, signal: AbortSignal): Target {
  const names = new ResultNames()
  const folders = new Map<string, Promise<FileSystemDirectoryHandle>>()
  const folderAt = (folder: Folder): Promise<FileSystemDirectoryHandle> => {
    const [name, key] = [folder.at(-1), folder.join('/')]
    if (name === undefined) return Promise.resolve(root)
    const known = folders.get(key)
    const made =
      known ??
      folderAt(folder.slice(0, -1)).then((parent) => parent.getDirectoryHandle(name, { create: true }))
    folders.set(key, made)
    return made
  }
  return {
    async write(folder, wanted, content) {
      const place = await folderAt(folder)
      for (const { name, take } of names.free(folder, wanted)) {
        const there = await fileIn(place, name)
        // One without bytes is what a closed tab has left.
        const isFree = there === undefined || (there !== 'other' && there.size === 0)
        const isSame = !isFree && there !== 'other' && (await isAlike(there, content))
        if (!isFree && !isSame) continue
        take()
        if (isFree) await writeFile(await place.getFileHandle(name, { create: true }), content, signal)
        return [...folder, name].join('/')
      }
      throw new Error('names have an end')
    },
    link: async () => undefined,
    finish: async () => undefined,
  }
}

/** @returns undefined where nothing has this name */
function fileIn(folder: FileSystemDirectoryHandle, name: string): Promise<File | 'other' | undefined> {
  return folder.getFileHandle(name).then(
    (handle) => handle.getFile(),
    (error: unknown) => {
      const kind = error instanceof DOMException ? error.name : ''
      if (kind === 'NotFoundError') return undefined
      if (kind === 'TypeMismatchError') return 'other'
      throw error
    },
  )
}

function isAlike(file: File, content: Content): Promise<boolean> {
  return hasBytesOf(sourceOf(file), sizeOfParts(content.parts), piecesOf(content))
}

async function writeFile(
  handle: FileSystemFileHandle,
  { parts, source }: Content,
  signal: AbortSignal,
): Promise<void> {
  const writer = await writing(handle.createWritable())
  try {
    for await (const piece of piecesOf({ parts, source })) {
      signal.throwIfAborted()
      await writing(writer.write(piece as Uint8Array<ArrayBuffer>))
    }
    await writing(writer.close())
  } catch (error) {
    await writer.abort().catch(() => undefined)
    throw error
  }
}

/** What takes the bytes of a ZIP. */
type Sink = {
  /** @param content of a file, whose header stands before it */
  put(header: Uint8Array, content: Content, at: number): Promise<void>
  end(directory: Uint8Array, at: number): Promise<Blob | undefined>
}

/** One ZIP, which is written file by file. */
export function resultsInZip(sink: Sink, signal: AbortSignal): Target {
  const names = new ResultNames()
  const members: LargeZipMember[] = []
  let at = 0
  /** One file follows the other, whichever is ready first. */
  let last: Promise<unknown> = Promise.resolve()
  return {
    async write(folder, wanted, content) {
      for (const { name, take } of names.free(folder, wanted)) {
        take()
        const path = [...folder, name].join('/')
        const added = last.catch(() => undefined).then(() => add(path, content))
        last = added
        await added
        return path
      }
      throw new Error('names have an end')
    },
    link: async () => undefined,
    async finish() {
      await last.catch(() => undefined)
      return sink.end(largeZipDirectory(members, at), at)
    },
  }

  async function add(name: string, content: Content): Promise<void> {
    let crc = 0
    for await (const piece of piecesOf(content)) {
      signal.throwIfAborted()
      crc = crc32(piece, crc)
    }
    const modifiedMs = content.modifiedMs ?? Date.now()
    const moment = new Date(modifiedMs)
    const member = {
      name,
      size: sizeOfParts(content.parts),
      crc,
      headerAt: at,
      modified: wallClock(moment, -moment.getTimezoneOffset()),
      modifiedMs,
    }
    const header = largeZipHeader(member)
    await sink.put(header, content, at)
    members.push(member)
    at += header.length + member.size
  }
}

/** A file of this device, which is written as the ZIP grows. */
export async function fileSink(handle: FileSystemFileHandle): Promise<Sink> {
  const writer = await handle.createWritable()
  return {
    async put(header, { parts, source }, at) {
      await writing(writer.write({ type: 'write', position: at, data: header as Uint8Array<ArrayBuffer> }))
      for await (const piece of piecesOf({ parts, source }))
        await writing(writer.write(piece as Uint8Array<ArrayBuffer>))
    },
    async end(directory, at) {
      await writer.write({ type: 'write', position: at, data: directory as Uint8Array<ArrayBuffer> })
      await writer.truncate(at + directory.length)
      await writer.close()
      return undefined
    },
  }
}

/** Each blob that a tab knows of takes some of its memory. */
const MOST_PIECES = 100

/** A download of the browser: files of this device are named in it, and new bytes lie outside of the tab. */
export function blobSink(): Sink {
  const blobs: Blob[] = []
  let pieces: Blob[] = []
  return {
    async put(header, { parts, source }) {
      const own: BlobPart[] = [header as Uint8Array<ArrayBuffer>]
      for (const part of parts)
        own.push(
          part instanceof Uint8Array
            ? (part as Uint8Array<ArrayBuffer>)
            : await pieceOf(source, part.start, part.end),
        )
      pieces.push(new Blob(own))
      if (pieces.length < MOST_PIECES) return
      blobs.push(new Blob(pieces))
      pieces = []
    },
    async end(directory) {
      return new Blob([...blobs, ...pieces, directory as Uint8Array<ArrayBuffer>], {
        type: 'application/zip',
      })
    },
  }
}
