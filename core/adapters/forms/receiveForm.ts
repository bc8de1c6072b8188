import { addAbortSignal, Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { addFormField, refuseMisspelt } from '@lantern-room/base/fields'
import type { ReceiveForm } from '@lantern-room/media/ports'
import { crowdedForm, noForm, textAsFile, tooLarge } from './formErrors'
import { formParser, parse } from './formParser'
import { chunksWithin, saveUpload } from './saveUpload'

/** Allowed besides the file: boundaries, part headers and text fields. */
const MAX_FORM_OVERHEAD_BYTES = 64 * 1024
const NO_OTHERS = { names: [], maxBytes: 0, spareBytes: 0 }

/**
 * Reads multipart/form-data with busboy, at the pace of the disk. The field `file` becomes `upload` in the folder, another
 * one `sent-` and its name. Its options, units and errors are those of `ReceiveForm`.
 * @example
 * const { fields, file } = await receiveForm(request, { folder, maxFileBytes: 500 * 2 ** 20, idleMs: 60_000, checkHead, signal })
 */
export const receiveForm: ReceiveForm = async (request, options) => {
  const { folder, maxFileBytes, idleMs, checkHead, texts = [], others = NO_OTHERS } = options
  options.signal.throwIfAborted()
  const contentType = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(contentType) || request.body === null) throw noForm()
  const maxBytes = maxFileBytes + others.spareBytes + MAX_FORM_OVERHEAD_BYTES
  if (Number(request.headers.get('content-length')) > maxBytes)
    throw tooLarge(maxFileBytes || others.maxBytes)

  // The first failure of the body, the parser or the disk stops the other two and is the one that is thrown.
  const failure = new AbortController()
  const fail = (error: unknown) => failure.abort(error)
  const signal = AbortSignal.any([options.signal, failure.signal])

  const attempt = (check: () => void) => {
    try {
      check()
    } catch (error) {
      fail(error)
    }
  }

  const fields = new Map<string, string>()
  const saving = new Map<string, Promise<number>>()
  let sentName: string | undefined
  const take = (name: string, content: Readable, wanted: Omit<Parameters<typeof saveUpload>[1], 'path'>) => {
    const saved = saveUpload(content, { ...wanted, path: folder.path(fileName(name)) })
    saved.catch(fail)
    saving.set(name, saved)
    return true
  }
  const parser = formParser(contentType, {
    onField: (name, value) => attempt(() => addFormField(fields, name, value)),
    onFile: (name, content, nameOfFile) => {
      if (texts.includes(name)) fail(textAsFile(name))
      if (saving.has(name) && others.names.includes(name)) fail(crowdedForm(`the file "${name}" twice`))
      if (saving.has(name)) return false
      if (name === 'file' && maxFileBytes > 0) {
        sentName = nameOfFile
        return take(name, content, { maxBytes: maxFileBytes, checkHead, onBytes: options.onFileBytes })
      }
      if (!others.names.includes(name)) {
        const names = [...(maxFileBytes > 0 ? ['file'] : []), ...others.names, ...texts]
        attempt(() => refuseMisspelt([[name, content]], names))
        return false
      }
      return take(name, content, {
        maxBytes: others.maxBytes,
        tooMuch: () => tooLarge(others.maxBytes, name),
      })
    },
    onError: fail,
  })
  const body = addAbortSignal(signal, Readable.fromWeb(request.body as NodeReadableStream))
  try {
    await parse(
      limited(chunksWithin(body, idleMs), maxBytes, maxFileBytes || others.maxBytes),
      parser,
      signal,
    )
    await Promise.all(saving.values())
    const size = await saving.get('file')
    const sent = [...saving.keys()].filter((name) => name !== 'file')
    return {
      fields,
      file: size === undefined ? undefined : { path: folder.path(fileName('file')), size, name: sentName },
      others: new Map(sent.map((name) => [name, fileName(name)])),
    }
  } catch (error) {
    fail(error)
    throw signal.reason
  } finally {
    body.destroy()
    parser.destroy()
    await Promise.allSettled(saving.values())
  }
}

function fileName(field: string): string {
  return field === 'file' ? 'upload' : `sent-${field}`
}

async function* limited(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  maxFileBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxFileBytes)
    yield chunk
  }
}
