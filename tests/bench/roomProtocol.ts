import { connect, type Socket } from 'node:net'
import { encodeRequest } from '#core/room/scaffolding/frames'
import { startServer } from '#support/process/serverProcess'
import { startRoomProcess } from '#support/room/roomProcess'
import { cpuSecondsOf, median } from './measure'

const CONNECTIONS = 64
const SECONDS = 2
const ROUNDS = 3

type Rate = { readonly perSecond: number; readonly perCpuSecond: number }

/** Requests of the room protocol over 64 connections, each waiting for its answer, beside an echo of the same bytes. */
export async function benchRoomProtocol(): Promise<void> {
  const room = await startRoomProcess()
  const echo = startServer(['-e', ECHO], {})
  try {
    const echoPort = Number((await echo.said(/(\d+)/))[1])
    await room.ask('/room/host/start', { waitForGame: false, gamePort: 1 })
    await room.until('Host_Running')
    const roomPort = Number((await room.ask('/meta')).body.overlayPort)
    const echoes: Rate[] = []
    const answers: Rate[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      echoes.push(await rateOf(echoPort, echo.pid, PING.length))
      answers.push(await rateOf(roomPort, room.process.pid, ANSWER))
    }
    const ratio = (of: keyof Rate) => median(answers.map((one, at) => one[of] / (echoes[at]?.[of] ?? 0)))
    const rate = (all: readonly Rate[], of: keyof Rate) => median(all.map((one) => one[of])).toFixed(0)
    console.log(`\nroom protocol, c:ping over ${CONNECTIONS} connections, against an echo of the same bytes`)
    console.log(
      `  requests/s         echo ${rate(echoes, 'perSecond')}  room ${rate(answers, 'perSecond')}` +
        `  ratio ${ratio('perSecond').toFixed(2)}×  goal ≥ 0.4×`,
    )
    console.log(
      `  of the server's CPU  echo ${rate(echoes, 'perCpuSecond')}/s  room ${rate(answers, 'perCpuSecond')}/s` +
        `  ratio ${ratio('perCpuSecond').toFixed(2)}×`,
    )
  } finally {
    await room.close()
    echo.signal('SIGKILL')
    await echo.ended
  }
}

const PING = encodeRequest({ kind: 'c:ping', body: new Uint8Array(16).fill(7) })
/** Status, length, and the same bytes. */
const ANSWER = 1 + 4 + 16

const ECHO = `require('node:net').createServer({ noDelay: true }, (s) => s.on('error', () => {}).pipe(s))
  .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

async function rateOf(port: number, pid: number, answer: number): Promise<Rate> {
  let count = 0
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => connected(port)))
  for (const socket of sockets) {
    let received = 0
    socket.on('data', (bytes) => {
      received += bytes.length
      if (received < answer) return
      received -= answer
      count += 1
      socket.write(PING)
    })
    socket.write(PING)
  }
  await wait(300)
  const [startedAt, cpuBefore, before] = [performance.now(), cpuSecondsOf(pid), count]
  await wait(SECONDS * 1000)
  const done = count - before
  const seconds = (performance.now() - startedAt) / 1000
  const cpu = cpuSecondsOf(pid) - cpuBefore
  for (const socket of sockets) socket.destroy()
  return { perSecond: done / seconds, perCpuSecond: done / cpu }
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.on('error', reject)
  })
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
