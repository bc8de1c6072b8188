// A world that was opened to the LAN: offline mode, chat goes to every player. One line of JSON on stdout for each event.
import { parseArgs } from 'node:util'
import minecraftData from 'minecraft-data'
import minecraft from 'minecraft-protocol'
import nbt from 'prismarine-nbt'
import { announce } from './lan.mjs'

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    motd: { type: 'string', default: 'Alice - New World' },
    version: { type: 'string', default: '1.20.4' },
    // Address of the interface to announce on; without it the world is not announced.
    announce: { type: 'string' },
  },
})
const tell = (event) => console.log(JSON.stringify(event))

const server = minecraft.createServer({
  host: values.host,
  port: Number(values.port),
  version: values.version,
  motd: values.motd,
  maxPlayers: 8,
  'online-mode': false,
})
const data = minecraftData(server.version)
let stopAnnouncing = () => {}

server.on('listening', () => {
  const { port } = server.socketServer.address()
  if (values.announce !== undefined)
    stopAnnouncing = announce({ motd: values.motd, gamePort: port, onInterface: values.announce })
  tell({ event: 'listening', port, motd: values.motd, version: server.version, pid: process.pid })
})
server.on('error', (error) => tell({ event: 'error', message: error.message }))
server.on('playerJoin', (client) => {
  const player = client.username
  tell({ event: 'joined', player })
  client.on('end', () => tell({ event: 'left', player }))
  client.write('login', { ...data.loginPacket, enforceSecureChat: false, entityId: client.id })
  client.write('position', { x: 0, y: 256, z: 0, yaw: 0, pitch: 0, flags: 0 })
  const relay = ({ message }) => {
    tell({ event: 'chat', player, text: message })
    broadcast(`<${player}> ${message}`)
  }
  client.on('chat', relay)
  client.on('chat_message', relay)
})

function broadcast(text) {
  const clients = Object.values(server.clients)
  if (data.supportFeature('signedChat')) {
    const content = data.supportFeature('chatPacketsUseNbtComponents')
      ? nbt.comp({ text: nbt.string(text) })
      : JSON.stringify({ text })
    server.writeToClients(clients, 'system_chat', { content, isActionBar: false })
  } else
    server.writeToClients(clients, 'chat', { message: JSON.stringify({ text }), position: 1, sender: '0' })
}

for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, () => {
    stopAnnouncing()
    server.close()
    setTimeout(() => process.exit(), 1000).unref()
  })
