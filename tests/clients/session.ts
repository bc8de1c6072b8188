import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import createClient from 'openapi-fetch'
import type { paths as MediaPaths } from './media.js'
import type { paths as RoomPaths, components as RoomTypes } from './room.js'

// Whole sessions by openapi-fetch with the types of openapi-typescript: `media URL VIDEO`, or `room HOST_URL GUEST_URL GAME_PORT`.

const [kind = '', ...args] = process.argv.slice(2)
if (kind === 'media') await media(args)
else await room(args)

async function media([url = '', video = '']: readonly string[]): Promise<void> {
  // Forms for all requests, whatever type of body the document names.
  const client = createClient<MediaPaths>({
    baseUrl: url,
    bodySerializer: (fields: unknown) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields ?? {}))
        form.append(name, value instanceof Blob ? value : String(value))
      return form
    },
  })
  // The types know a file as a text.
  const fileOf = (bytes: ArrayBuffer | Uint8Array) => new Blob([new Uint8Array(bytes)]) as unknown as string

  const { data: session } = await client.POST('/prepare', {
    body: { file: fileOf(await readFile(video)) },
  })
  const session_id = session?.session_id ?? ''
  const { data: photo = new ArrayBuffer(0) } = await client.POST('/convert', {
    body: { session_id, range_start: 0, range_end: 1, cover_time: 0.5, speed: 1 },
    parseAs: 'arrayBuffer',
  })
  const { data: frame } = await client.POST('/thumbnail', {
    body: { session_id, timestamp: 0.5, width: 160 },
    parseAs: 'arrayBuffer',
  })
  console.log('files', photo.byteLength, frame?.byteLength)
  const { data: inspection } = await client.POST('/inspect', {
    body: { file: fileOf(photo) },
  })
  for (const { gallery, recognised } of inspection?.galleries ?? [])
    console.log('gallery', gallery, recognised)
  const { data: clip } = await client.POST('/extract', {
    body: { file: fileOf(photo), what: 'clip' },
    parseAs: 'arrayBuffer',
  })
  console.log('extracted', new Blob([clip ?? '']).size)
  const { data: removed } = await client.POST('/cleanup', { body: { session_id } })
  console.log('cleanup', removed?.message)
  const gone = await client.GET('/sessions/{session_id}', { params: { path: { session_id } } })
  console.log('then', gone.response.status)
}

async function room([hostUrl = '', guestUrl = '', gamePort = '']: readonly string[]): Promise<void> {
  const host = createClient<RoomPaths>({ baseUrl: hostUrl })
  const guest = createClient<RoomPaths>({ baseUrl: guestUrl })
  const until = async (client: typeof host, wanted: string) => {
    for (;;) {
      const { data } = await client.GET('/state')
      if (data?.state === wanted) return data
      if (data?.state === 'exception') throw new Error(data.error ?? 'no reason')
      await sleep(100)
    }
  }
  console.log('contract', (await host.GET('/meta')).data?.contractVersion)
  const feed = feedUntil(hostUrl, 'host-ok')
  await host.POST('/room/host/start', { body: { playerName: 'Alex', gamePort: Number(gamePort) } })
  const { room } = await until(host, 'host-ok')
  const roomCode = room ?? ''
  console.log('feed', ...(await feed))
  await guest.POST('/room/guest/start', { body: { playerName: 'Steve', roomCode } })
  console.log('joined', (await until(guest, 'guest-ok')).url)
  while (((await host.GET('/state')).data?.profiles?.length ?? 0) < 2) await sleep(100)
  console.log('status', (await guest.GET('/room/status')).data?.state)
  await guest.POST('/room/stop')
  await host.POST('/room/stop')
  await until(host, 'waiting')
  console.log('stopped')
}

/** The contract's version that the feed begins with, and the state, once it tells of the wanted one. */
function feedUntil(url: string, wanted: string): Promise<readonly string[]> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`)
  let contract = ''
  return new Promise((resolve, reject) => {
    socket.onerror = () => reject(new Error('there is no feed'))
    socket.onmessage = ({ data }) => {
      const message: RoomTypes['schemas']['FeedMessage'] = JSON.parse(data)
      if (message.type === 'hello') contract = message.contractVersion
      if (message.type !== 'state' || message.state !== wanted) return
      socket.close()
      resolve([contract, message.state])
    }
  })
}
