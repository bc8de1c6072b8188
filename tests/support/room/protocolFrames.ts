// Frames of the room protocol as docs/room-protocol.md describes them, written apart from the program that is tested.

export type RequestFrame = { readonly kind: string; readonly body: Uint8Array }
export type ResponseFrame = { readonly status: number; readonly data: Uint8Array }

/** The length of the kind in one byte, the kind, the length of the body in four, the body. */
export function encodeRequest({ kind, body }: RequestFrame): Uint8Array {
  const name = Buffer.from(kind)
  return Uint8Array.of(name.length, ...name, ...sized(body))
}

/** The status in one byte, the length of the data in four, the data. */
export function encodeResponse({ status, data }: ResponseFrame): Uint8Array {
  return Uint8Array.of(status, ...sized(data))
}

/** The body of `c:player_ping`. */
export function encodePlayer(player: {
  readonly name: string
  readonly machineId: string
  readonly vendor: string
}): Uint8Array {
  const { name, machineId, vendor } = player
  return Buffer.from(JSON.stringify({ name, machine_id: machineId, vendor }))
}

/** All whole requests at the beginning of these bytes. */
export function readRequests(bytes: Uint8Array): readonly RequestFrame[] {
  const frames: RequestFrame[] = []
  for (let at = 0; at < bytes.length; ) {
    const start = at + 1 + (bytes[at] ?? 0)
    const body = bodyAt(bytes, start)
    if (!body) break
    frames.push({ kind: Buffer.from(bytes.subarray(at + 1, start)).toString(), body })
    at = start + 4 + body.length
  }
  return frames
}

/** All whole responses at the beginning of these bytes. */
export function readResponses(bytes: Uint8Array): readonly ResponseFrame[] {
  const frames: ResponseFrame[] = []
  for (let at = 0; at < bytes.length; ) {
    const data = bodyAt(bytes, at + 1)
    if (!data) break
    frames.push({ status: bytes[at] ?? 0, data })
    at += 5 + data.length
  }
  return frames
}

function sized(body: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

function bodyAt(bytes: Uint8Array, at: number): Uint8Array | undefined {
  if (bytes.length < at + 4) return undefined
  const end = at + 4 + Buffer.from(bytes.slice(at, at + 4)).readUInt32BE()
  return bytes.length < end ? undefined : bytes.slice(at + 4, end)
}
