import { createWorkFolders } from '#core/adapters/files/workFolders'
import { receiveForm } from '#core/adapters/forms/receiveForm'
import { sourceKind } from '#core/media/prepare/source'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { median } from './measure'

const ROUNDS = 50

/** How long it takes until an upload that is no video is refused, with the rest of it still to come. */
export async function benchRefusal(): Promise<void> {
  const folder = await makeTempFolder('lantern-bench')
  const workFolders = createWorkFolders({ folder })
  const times: number[] = []
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedAt = performance.now()
      const work = await workFolders.open()
      const refused = await receiveForm(endlessText(), {
        folder: work,
        maxFileBytes: 1e9,
        idleMs: 60_000,
        checkHead: sourceKind,
        signal: new AbortController().signal,
      }).then(
        () => false,
        () => true,
      )
      await work.dispose()
      if (!refused) throw new Error('the text was taken for a video')
      times.push(performance.now() - startedAt)
    }
  } finally {
    await removeFolders(folder)
  }
  console.log(
    `\nrefusal by sniffing: median ${median(times).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms  goal ≤ 100 ms`,
  )
}

function endlessText(): Request {
  const encoder = new TextEncoder()
  const begin = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n'
  let isFirst = true
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(encoder.encode(isFirst ? begin : 'This is no video. '.repeat(1000)))
      isFirst = false
    },
  })
  return new Request('http://localhost/prepare', {
    method: 'POST',
    body,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    duplex: 'half',
  } as RequestInit)
}
