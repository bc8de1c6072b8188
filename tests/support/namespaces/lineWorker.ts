import { connect } from 'node:net'
import { startWorld } from '../room/testWorld'

// Two ends of a line for tests that break it, each in a process that can be put into a network of its own:
// `lineWorker.mjs world` opens a world that echoes, and prints its port; `lineWorker.mjs player <port>` sends a number five
// times a second over one connection, prints each that comes back, and ends with `broken` when the connection does.

const [role, port] = process.argv.slice(2)

if (role === 'world') {
  console.log(`port ${(await startWorld()).port}`)
} else {
  const socket = connect(Number(port), '127.0.0.1')
  let count = 0
  let received = ''
  const send = () => {
    count += 1
    socket.write(`echo ${count}\n`)
  }
  send()
  setInterval(send, 200)
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${received}${text}`.split('\n')
    received = lines.pop() ?? ''
    for (const line of lines) console.log(line.replace('echo', 'got'))
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    console.log('broken')
    process.exit(1)
  })
}
