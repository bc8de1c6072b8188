import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export type BedrockWorld = {
  readonly port: number
  /** How many unconnected pings it has answered. */
  readonly answered: () => number
  close(): Promise<void>
}

const MAGIC = Buffer.from('00ffff00fefefefefdfdfdfd12345678', 'hex')
const PING = 0x01
const PONG = 0x1c
const SERVER_ID = Buffer.from('0102030405060708', 'hex')

/**
 * A server that answers RakNet's unconnected ping as a Bedrock world does, and sends back any other datagram. Ping: id, time (8
 * bytes), magic, client id (8). Pong: id, the same time, server id (8), magic, length (2), `MCPE;name;protocol;version;…`.
 */
export async function startBedrockWorld(name: string, port = 0): Promise<BedrockWorld> {
  const socket = createSocket('udp4')
  let answered = 0
  socket.on('message', (bytes, from) => {
    const isPing = bytes[0] === PING && bytes.length === 33 && bytes.subarray(9, 25).equals(MAGIC)
    if (!isPing) return socket.send(bytes, from.port, from.address)
    const text = Buffer.from(`MCPE;${name};766;1.21.50;2;10;1;${name};Survival;1;${port};19133;`)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(text.length)
    const pong = Buffer.concat([Buffer.of(PONG), bytes.subarray(1, 9), SERVER_ID, MAGIC, length, text])
    answered += 1
    socket.send(pong, from.port, from.address)
  })
  socket.bind(port, '127.0.0.1')
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    answered: () => answered,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}
