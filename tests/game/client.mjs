// A player: finds a world on the LAN (or is told where it is), logs in, says a line and waits for one. One line of JSON on
// stdout for each event; exit code 0 when the awaited line came.
//   node client.mjs 127.0.0.1:25565 --name Bob --say hello --wait-for '<Bob> hello'
//   node client.mjs --find-on 127.0.0.1 --find 'Alice' --except 25565 --name Bob
import { parseArgs } from 'node:util'
import minecraft from 'minecraft-protocol'
import { findWorld } from './lan.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // Address of the interface on which an announcement is awaited.
    'find-on': { type: 'string', default: '127.0.0.1' },
    // Part of the announced text.
    find: { type: 'string', default: '' },
    // Address of the machine that announces it; any without it.
    from: { type: 'string' },
    // Ports of announced worlds to pass over, separated by commas.
    except: { type: 'string', default: '' },
    name: { type: 'string', default: 'Bob' },
    version: { type: 'string', default: '1.20.4' },
    say: { type: 'string' },
    // Part of a line of chat that ends the program.
    'wait-for': { type: 'string' },
    // With it the player stays in the world after that, until SIGTERM.
    stay: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '30' },
  },
})
const tell = (event) => console.log(JSON.stringify(event))
const leave = (code) => process.stdout.write('', () => process.exit(code))

setTimeout(() => {
  tell({ event: 'late' })
  leave(1)
}, 1000 * Number(values.seconds)).unref()
process.once('SIGTERM', () => leave(0))

const { host, port } = await place()
const client = minecraft.createClient({
  host,
  port,
  username: values.name,
  version: values.version,
  auth: 'offline',
})
client.on('error', (error) => tell({ event: 'error', message: error.message }))
client.on('end', (reason) => {
  tell({ event: 'end', reason })
  leave(1)
})
client.on('login', () => {
  tell({ event: 'login', player: client.username })
  if (values.say !== undefined) client.chat(values.say)
})
client.on('systemChat', ({ formattedMessage }) => {
  const text = textOf(JSON.parse(formattedMessage))
  tell({ event: 'chat', text })
  if (values['wait-for'] !== undefined && text.includes(values['wait-for']) && !values.stay) leave(0)
})

async function place() {
  const [, host, port] = /^(.*):(\d+)$/.exec(positionals[0] ?? '') ?? []
  if (port !== undefined) return { host, port: Number(port) }
  const except = values.except.split(',').map(Number)
  const { find: text, from } = values
  const world = await findWorld({ onInterface: values['find-on'], text, from, except })
  tell({ event: 'announcement', ...world })
  return { host: world.address, port: world.port }
}

function textOf(message) {
  if (typeof message === 'string') return message
  const own = message.text ?? message[''] ?? ''
  return own + (message.extra ?? []).map(textOf).join('')
}
