// The LAN part of the game, as the game has it: one datagram every 1.5 s, and a list that believes the first.
import { createSocket } from 'node:dgram'

const group = '224.0.2.60'
const port = 4445

/** Announces a world through one interface. @returns a function that stops */
export function announce({ motd, gamePort, onInterface }) {
  const socket = createSocket({ type: 'udp4' })
  let timer
  socket.bind({ address: onInterface }, () => {
    socket.setMulticastInterface(onInterface)
    socket.setMulticastLoopback(true)
    const send = () => socket.send(`[MOTD]${motd}[/MOTD][AD]${gamePort}[/AD]`, port, group)
    send()
    timer = setInterval(send, 1500)
  })
  return () => {
    clearInterval(timer)
    socket.close()
  }
}

/**
 * Waits for a world that is announced on one interface.
 * @param text part of the text of the world that is meant
 * @param from address of the machine that announces it; undefined = any
 * @param except ports of worlds that are not meant
 * @returns its text, the sender's address and the port
 */
export function findWorld({ onInterface, text = '', from, except = [] }) {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: 'udp4', reuseAddr: true })
    socket.on('error', reject)
    socket.on('message', (datagram, { address }) => {
      const [, motd, gamePort] =
        /^\[MOTD\](.*)\[\/MOTD\]\[AD\](\d+)\[\/AD\]$/s.exec(datagram.toString()) ?? []
      if (!motd?.includes(text) || except.includes(Number(gamePort))) return
      if (from !== undefined && address !== from) return
      socket.close()
      resolve({ motd, address, port: Number(gamePort) })
    })
    socket.bind({ port, address: group }, () => socket.addMembership(group, onInterface))
  })
}
