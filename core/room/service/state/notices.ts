/** Actions that a player must take, or events to wait for, before a room goes on; the last two only warn. Stable codes, for programs. */
export const NOTICE_CODES = [
  'open-world',
  'open-world-on-port',
  'bedrock-world',
  'world-found',
  'worlds-found',
  'world-unverified',
  'own-port',
  'world-missing',
  'world-lost',
  'room-full',
  'same-names',
  'awaiting-approval',
  'awaiting-room',
  'awaiting-path',
  'awaiting-world',
  'world-closed',
  'other-host',
  'several-hosts',
  'second-host',
] as const

export type NoticeCode = (typeof NOTICE_CODES)[number]

export type Notice = {
  readonly code: NoticeCode
  /** One sentence for the player. */
  readonly text: string
  /** Of the world that the player may choose. */
  readonly port?: number | undefined
}

const TEXTS: Readonly<
  Record<
    Exclude<
      NoticeCode,
      'open-world-on-port' | 'world-found' | 'worlds-found' | 'world-unverified' | 'world-lost' | 'same-names'
    >,
    string
  >
> = {
  'open-world':
    'Open your world to LAN (since Minecraft 26.2: Multiplayer Options in the pause menu): the room opens as soon as it is found.',
  'bedrock-world':
    'Open your Bedrock world: the room opens as soon as it answers. From 1.26.50 on the game itself speaks NetherNet on the LAN, which no room carries: use a dedicated server (BDS, which speaks RakNet), or a Java world with Geyser.',
  'world-missing':
    'The room is open, your world is not yet: open it to LAN (since Minecraft 26.2: Multiplayer Options), or on the port that you have chosen.',
  'own-port':
    'One of the ports that you share is used by this program itself now, and is not shared: choose another one for what you share.',
  'room-full':
    'As many are connected as the room has places for. Remove whom you do not know: those of one group come from one address, or through one relay.',
  'awaiting-approval': 'Waiting for the host to let you in.',
  'awaiting-room': 'Waiting for your friend to open the room: you go in by yourself then.',
  'awaiting-path': 'Your friend’s room is found. Waiting for a path to it, which can take a minute.',
  'awaiting-world': 'The room is open, the world is not yet: your friend has to open it to LAN.',
  'world-closed': 'The world is closed: your friend has to open it again.',
  'other-host':
    'Another player answers with this room code, not the host that you know. Waiting for that host to come back.',
  'several-hosts':
    'Several players host with this room code, and you are with the one that answered first. If that is the wrong one, ask your friend for an invitation link.',
  'second-host':
    'Another member hosts with your room code, so that friends may join there. Ask them to stop and to join you, or remove them, and send your friends an invitation link: with it they find you alone.',
}

export function noticeOf(code: keyof typeof TEXTS): Notice {
  return { code, text: TEXTS[code] }
}

export type OwnWorld = { readonly name: string | undefined; readonly port: number }

/** For the host's own world. */
export function worldLost({ name, port }: OwnWorld): Notice {
  const world = name === undefined ? `The world on port ${port}` : `Your world “${name}”`
  return {
    code: 'world-lost',
    text: `${world} does not answer any more. Open it again within a minute, or choose another world: none is shared unasked.`,
  }
}
