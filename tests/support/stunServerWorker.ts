import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

// A STUN server (RFC 5389, binding requests only) by UDP and TCP: `stunServerWorker.mjs <port> <address>…`. Written apart
// from the project's own codec, so that the two are held against each other.

const COOKIE = 0x2112a442
const HEADER_SIZE = 20

const [port = '3478', ...addresses] = process.argv.slice(2)
await Promise.all(addresses.flatMap((address) => [listenUdp(address), listenTcp(address)]))
console.log('listening')

function listenUdp(address: string): Promise<void> {
  const socket = createSocket('udp4')
  socket.on('message', (request, from) => {
    const answer = answerTo(request, from.address, from.port)
    if (answer) socket.send(answer, from.port, from.address, () => undefined)
  })
  return new Promise((resolve) => socket.bind(Number(port), address, resolve))
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
