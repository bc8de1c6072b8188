import { type Clock, sleep } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { viewOf } from '@lantern-room/base/bytes'
import { createPrng, type Prng } from '#support/values/prng'

/** What is said over one stream: the guest says how much and from which seed, so that both sides can check every byte. */
export type Talk = { readonly seed: number; readonly up: number; readonly down: number }

export type TalkTools = {
  readonly clock: Clock
  readonly chance: Prng
  readonly violate: (text: string) => void
  readonly signal: AbortSignal
  /** For testing the test: changes what was received before it is checked. */
  readonly tamper?: ((bytes: Uint8Array) => void) | undefined
}

const HEADER_SIZE = 16
/** An attacker opens streams, too; what it sends on them is not checked. */
const MAGIC = 0x74616c6b
const BACK = 0x5bd1e995

/** The guest's side. @returns whether all was said; @throws whatever the stream throws when it broke */
export async function talk(stream: ByteStream, { seed, up, down }: Talk, tools: TalkTools): Promise<void> {
  const header = new Uint8Array(HEADER_SIZE)
  for (const [index, value] of [MAGIC, seed, up, down].entries()) viewOf(header).setUint32(index * 4, value)
  await stream.write(header)
  await say(stream, seed, up, tools)
  const inbox = createInbox(stream)
  await hear(inbox, seed ^ BACK, down, 'guest', tools)
  const more = await inbox.take(1)
  if (more.length > 0) tools.violate(`guest: more bytes than the ${down} that were sent`)
  await stream.end()
}

/** The host's side. */
export async function answer(stream: ByteStream, tools: TalkTools): Promise<void> {
  const inbox = createInbox(stream)
  const header = await inbox.take(HEADER_SIZE)
  // Or an opening that was given up: the guest said nothing at all.
  if (header.length < HEADER_SIZE || viewOf(header).getUint32(0) !== MAGIC) return stream.destroy()
  const view = viewOf(header)
  const [seed, up, down] = [view.getUint32(4), view.getUint32(8), view.getUint32(12)]
  await hear(inbox, seed, up, 'host', tools)
  await say(stream, seed ^ BACK, down, tools)
  await stream.end()
}

async function say(stream: ByteStream, seed: number, size: number, { clock, chance, signal }: TalkTools) {
  const source = createPrng(seed)
  for (let said = 0; said < size; ) {
    const length = Math.min(size - said, chance.integer(1, 8) * 1024)
    await stream.write(source.bytes(length))
    said += length
    if (chance.isTrue(0.2)) await sleep(clock, chance.integer(1, 200), signal)
  }
}

async function hear(inbox: Inbox, seed: number, size: number, who: string, tools: TalkTools): Promise<void> {
  const expected = createPrng(seed).forward()
  let heard = 0
  while (heard < size) {
    const bytes = await inbox.any(size - heard)
    if (!bytes) return tools.violate(`${who}: the stream ended in order after ${heard} of ${size} bytes`)
    tools.tamper?.(bytes)
    for (const byte of bytes) {
      if (byte !== expected())
        return tools.violate(`${who}: a wrong byte, among ${heard} to ${heard + bytes.length} of ${size}`)
    }
    heard += bytes.length
    if (tools.chance.isTrue(0.05)) await sleep(tools.clock, tools.chance.integer(1, 300), tools.signal)
  }
}

type Inbox = {
  /** Exactly so many, or fewer at the end. */
  take(size: number): Promise<Uint8Array>
  /** At least one and at most so many; undefined at the end. */
  any(most: number): Promise<Uint8Array | undefined>
}

function createInbox(stream: ByteStream): Inbox {
  let rest = new Uint8Array(0)
  const any = async (most: number) => {
    if (rest.length === 0) rest = (await stream.read())?.slice() ?? rest
    if (rest.length === 0) return undefined
    const bytes = rest.subarray(0, most)
    rest = rest.subarray(bytes.length)
    return bytes
  }
  return {
    any,
    async take(size) {
      const taken = new Uint8Array(size)
      let length = 0
      while (length < size) {
        const bytes = await any(size - length)
        if (!bytes) break
        taken.set(bytes, length)
        length += bytes.length
      }
      return taken.subarray(0, length)
    },
  }
}
