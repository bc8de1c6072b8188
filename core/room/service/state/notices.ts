import english from '../../words/english.json'

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

export function noticeOf(code: keyof typeof english.notices): Notice {
  return { code, text: english.notices[code] }
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
