import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

// A STUN server (RFC 5389, binding requests only) by UDP and TCP: `stunServerWorker.mjs <port> <address>…`. Written apart
// from the project's own codec, so that the two are held against each other. Whoever asks for it by UDP is answered from
// another port, or from another address and port, as the older RFC 3489 and 5780 have it.

const COOKIE = 0x2112a442
const HEADER_SIZE = 20

const [port = '3478', ...addresses] = process.argv.slice(2)
/** For each address the one that is asked, and the one on the next port. */
const sockets = addresses.map(() => [createSocket('udp4'), createSocket('udp4')] as const)
await Promise.all(addresses.flatMap((address, at) => [listenUdp(address, at), listenTcp(address)]))
console.log('listening')

async function listenUdp(address: string, at: number): Promise<void> {
  const [asked, other] = sockets[at] ?? []
  asked?.on('message', (request, from) => {
    const answer = answerTo(request, from.address, from.port)
    const { address: isElsewhere, port: isOtherPort } = changeOf(request)
    const pair = sockets[(at + Number(isElsewhere)) % sockets.length]
    if (answer) pair?.[isOtherPort ? 1 : 0].send(answer, from.port, from.address, () => undefined)
  })
  await Promise.all(
    [asked, other].map(
      (socket, more) => new Promise<void>((resolve) => socket?.bind(Number(port) + more, address, resolve)),
    ),
  )
}

/** What a request's CHANGE-REQUEST asks for; it comes first where it comes at all. */
function changeOf(request: Buffer): { readonly address: boolean; readonly port: boolean } {
  const isThere = request.length >= HEADER_SIZE + 8 && request.readUInt16BE(HEADER_SIZE) === 0x0003
  const flags = isThere ? request.readUInt32BE(HEADER_SIZE + 4) : 0
  return { address: (flags & 4) !== 0, port: (flags & 2) !== 0 }
}

function listenTcp(address: string): Promise<void> {
  const server = createServer({ noDelay: true }, (socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      if (received.length < HEADER_SIZE || received.length < sizeOf(received)) return
      const answer = answerTo(
        received.subarray(0, sizeOf(received)),
        socket.remoteAddress ?? '',
        socket.remotePort ?? 0,
      )
      received = received.subarray(sizeOf(received))
      if (answer) socket.write(answer)
      else socket.destroy()
    })
  })
  return new Promise((resolve) => server.listen(Number(port), address, resolve))
}

function sizeOf(message: Buffer): number {
  return HEADER_SIZE + message.readUInt16BE(2)
}

/** A success response with XOR-MAPPED-ADDRESS, for IPv4. */
function answerTo(request: Buffer, address: string, remotePort: number): Buffer | undefined {
  if (request.length < HEADER_SIZE || request.readUInt16BE(0) !== 0x0001) return undefined
  if (request.readUInt32BE(4) !== COOKIE || request.length !== sizeOf(request)) return undefined
  const answer = Buffer.alloc(HEADER_SIZE + 12)
  answer.writeUInt16BE(0x0101, 0)
  answer.writeUInt16BE(12, 2)
  request.copy(answer, 4, 4, HEADER_SIZE)
  answer.writeUInt16BE(0x0020, HEADER_SIZE)
  answer.writeUInt16BE(8, HEADER_SIZE + 2)
  answer.writeUInt8(1, HEADER_SIZE + 5)
  answer.writeUInt16BE(remotePort ^ (COOKIE >>> 16), HEADER_SIZE + 6)
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  answer.writeUInt32BE((number ^ COOKIE) >>> 0, HEADER_SIZE + 8)
  return answer
}
