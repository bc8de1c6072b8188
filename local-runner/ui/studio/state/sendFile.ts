import { onAbort } from '@lantern-room/base/async'
import { askJson, postJson, problemOf, RequestProblem } from '../../shared/ask'
import { type SessionRecord, takeEvents, type UploadRecord } from '../photo/records'
import { work } from './store'

/**
 * Sends a file and has its preview made.
 * @param from whole seconds of the file before the preview begins
 * @throws as `upload`
 */
export function sendFile(file: File, signal: AbortSignal, from: number): Promise<SessionRecord> {
  return upload(file, signal, (upload_id) => prepare({ upload_id, file_name: file.name, from }, signal))
}

/**
 * Puts a file on the service, and uses it there by its id.
 * @throws RequestProblem; the signal's reason when it aborts, and then the service is told to stop, too
 */
export async function upload<T>(
  file: Blob,
  signal: AbortSignal,
  use: (id: string) => Promise<T>,
): Promise<T> {
  work.value = { stage: 'sending', percent: 0 }
  const order = { size: file.size, content_type: file.type || 'application/octet-stream' }
  const place = (await (await postJson('uploads', order, { signal })).json()) as UploadRecord
  try {
    await put(file, place, signal)
    return await use(place.upload_id)
  } catch (error) {
    if (signal.aborted) void askJson(`uploads/${place.upload_id}`, { method: 'DELETE' }).catch(() => {})
    throw error
  }
}

/** Only XMLHttpRequest tells how much of a body has gone. */
function put(file: Blob, { upload_id: id, url, headers }: UploadRecord, signal: AbortSignal): Promise<void> {
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => request.abort())
    const end = (settle: () => void) => () => {
      forget()
      settle()
    }
    request.upload.onprogress = ({ loaded, total }) => {
      work.value = { stage: 'sending', percent: (loaded / total) * 100 }
    }
    request.onload = end(() => {
      if (request.status < 300) resolve()
      else reject(problemOf(request.status, request.responseText))
    })
    request.onerror = end(() => reject(new RequestProblem('unreachable', '')))
    request.onabort = end(() => reject(signal.reason))
    request.open('PUT', addressOf(url, id))
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.send(file)
  })
}

/** The service's own addresses are used as the page is: it may be reached by another name than it gives itself. */
function addressOf(url: string, id: string): string {
  return new URL(url).pathname.endsWith(`/uploads/${id}`) ? `uploads/${id}` : url
}

async function prepare(
  order: { readonly upload_id: string; readonly file_name: string; readonly from: number },
  signal: AbortSignal,
): Promise<SessionRecord> {
  work.value = { stage: 'reading' }
  const headers = { Accept: 'text/event-stream' }
  const { body } = await postJson('prepare', order, { headers, signal })
  if (body === null) throw new RequestProblem('unreachable', '')
  let text = ''
  for await (const piece of piecesOf(body)) {
    const { events, rest } = takeEvents(text + piece)
    text = rest
    for (const { name, data } of events) {
      if (name === 'result') return JSON.parse(data) as SessionRecord
      if (name === 'error') throw problemOf(0, data)
      work.value = JSON.parse(data)
    }
  }
  throw new RequestProblem('unreachable', '')
}

async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const text = new TextDecoder()
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      // A break of the connection; an abort says its own reason at the request.
      throw cause instanceof TypeError ? new RequestProblem('unreachable', '') : cause
    })
    if (done) return
    yield text.decode(value, { stream: true })
  }
}
