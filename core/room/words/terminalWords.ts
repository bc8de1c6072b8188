import type { Language } from '#core/language'
import type { FindingId } from '../doctor/diagnosis'

/** A path to the host. */
type ShownPath = { readonly by: 'direct' | 'friend' | 'node'; readonly transport: string }

/** Findings of the doctor in plain words, of several subjects; the others are worded so, and Chinese ones all are. */
const PROBLEMS: Partial<Record<FindingId, (subjects: string) => string>> = {
  'multicast-fails': (names) => `Worlds and friends on the local network are not found through ${names}`,
  'shared-node-unreachable': (names) => `No shared node can be reached (${names})`,
}

/** What only the command `room` says to a player; the rest is in the tables beside this one. */
const ENGLISH = {
  askName: (proposed: string) => `Your name, as others see it [${proposed}]: `,
  takenName: (name: string) => `Others see you as ${name}; --name NAME changes that.`,
  howToOpen: 'In the game: Esc, Open to LAN, Start LAN World.',
  waits: 'If the room is not open yet, this waits until it is. Ctrl-C ends the waiting.',
  foundWorld: (name: string | null, port: number) =>
    `Found the world${name ? ` “${name}”` : ''} on port ${port}`,
  movedWorld: (port: number) => `The world is on port ${port} now.`,
  beforeWorld: 'Opening the room before the world',
  roomOpen: 'The room is open',
  roomOpenAtNodes: (reached: number, all: number) => `The room is open (${reached} of ${all} shared nodes)`,
  roomOpenOnLan: 'The room is open for players on this LAN',
  roomOpenWithoutNodes: 'The room is open for players on this LAN: no shared node answers yet',
  sendCode: 'Send this code to your friends. Ctrl-C closes the room.',
  sendLink: 'Or send this link, which says where you are met, too:',
  code: (code: string) => `Room code: ${code}`,
  lookingFor: (code: string) => `Looking for the room ${code}`,
  inside: (world: string | null) => `You are in the room${world ? `: the world is “${world}”` : ''}`,
  inGame: (address: string) =>
    `In the game: Multiplayer, then the world in the list, or Direct Connection to ${address}`,
  question: '?',
  hostIsBack: 'The host is back.',
  path: ({ by, transport }: ShownPath) =>
    by === 'direct'
      ? `Connected directly by ${transport}`
      : `Connected through ${by === 'friend' ? 'another player of this room' : 'a shared node'} by ${transport}`,
  wantsIn: (name: string) => `? ${name} wants to join: y or n, and Enter`,
  /** Replies to what the host types. */
  hostLines: {
    orders: 'y [NAME] lets a player in, n [NAME] refuses one, kick NAME removes one.',
    nameless: 'Name the player: kick NAME.',
    noneWaits: 'No player waits.',
    unknown: (name: string) => `No such player: ${name}.`,
    several: (ids: string) => `Several players have that name: use an id (${ids}).`,
    approve: (name: string) => `${name} is let in.`,
    refuse: (name: string) => `${name} is refused.`,
    kick: (name: string) => `${name} is removed.`,
  },
  unregistered: (name: string, id: string) =>
    `? ${name} is connected without a player and does not reach the world: y ${id} lets it in, kick ${id} removes it`,
  secondHost: (name: string, id: string) => `? ${name} hosts with this room code, too: kick ${id} removes it`,
  moreUnregistered: (count: number) => `? ${count} more are connected without a player`,
  shared: (name: string, where: string) => `Shared: ${name}, ${where}`,
  noFreePort: (transport: string) => `not here (no free ${transport} port)`,
  proposal: (title: string, word: string) => `Found ${title}. To share it: --share ${word}`,
  stopping: 'Stopping.',
  invitation: (name: string | undefined, game: string) =>
    `An invitation${name === undefined ? '' : ` of ${name}`}${game === '' ? '' : `: ${game}`}`,
  version: (version: string | undefined) => `version ${version}`,
  mods: (count: number) => ['no mods', '1 mod'][count] ?? `${count} mods`,
  gameDiffers: (own: string, host: string) =>
    `The game differs: ${own} here, ${host} at the host. The game may refuse to connect.`,
  missingHere: (mods: string) => `Missing here: ${mods}.`,
  missingThere: (mods: string) => `Missing at the host: ${mods}.`,
  page: (url: string) => `The room page: ${url}`,
  pageRuns: 'Keep this window open while you play: closing it, or Ctrl-C, ends the room.',
  noBrowser: 'No browser could be opened: open this address in one.',
  pressEnter: 'Press Enter to close this window.',
  looking: 'Looking, which takes a few seconds …',
  allWell: 'All is well: you can meet your friends',
  canMeet: 'You can meet your friends',
  cannotMeet: 'You cannot meet your friends yet:',
  ways: { nodes: 'over the internet', lan: 'on the local network' },
  and: ' and ',
  comma: ', ',
  others: (count: number) => ` and ${count} others`,
  end: '.',
  space: ' ',
  problems: PROBLEMS,
}

export type TerminalWords = typeof ENGLISH

const CHINESE: TerminalWords = {
  askName: (proposed) => `你的名字（其他玩家会看到）［${proposed}］：`,
  takenName: (name) => `其他玩家看到的名字是 ${name}；可用 --name 名字 更改。`,
  howToOpen: '在游戏里：Esc，“对局域网开放”，“创建局域网世界”。',
  waits: '如果房间还没有打开，会一直等到它打开；按 Ctrl-C 结束等待。',
  foundWorld: (name, port) => `已找到世界${name ? `“${name}”` : ''}，端口 ${port}`,
  movedWorld: (port) => `世界现在在端口 ${port}。`,
  beforeWorld: '先创建房间，世界稍后再打开',
  roomOpen: '房间已创建',
  roomOpenAtNodes: (reached, all) => `房间已创建（${all} 个公共节点中已连上 ${reached} 个）`,
  roomOpenOnLan: '房间已创建，局域网内的玩家可以加入',
  roomOpenWithoutNodes: '房间已创建，局域网内的玩家可以加入：还没有公共节点响应',
  sendCode: '把这个房间码发给朋友。按 Ctrl-C 关闭房间。',
  sendLink: '也可以发送这个链接，其中还写明了在哪里与你相遇：',
  code: (code) => `房间码：${code}`,
  lookingFor: (code) => `正在寻找房间 ${code}`,
  inside: (world) => `已加入房间${world ? `，世界是“${world}”` : ''}`,
  inGame: (address) => `在游戏里：打开“多人游戏”，选择列表中的世界，或用“直接连接”连接 ${address}`,
  question: '？',
  hostIsBack: '房主回来了。',
  path: ({ by, transport }) => {
    if (by === 'direct') return `已通过 ${transport} 直连`
    return `已经由${by === 'friend' ? '房间里的其他玩家' : '公共节点'}通过 ${transport} 连接`
  },
  wantsIn: (name) => `? ${name} 想加入：输入 y（同意）或 n（拒绝），再按回车`,
  hostLines: {
    orders: 'y [名字] 同意加入，n [名字] 拒绝加入，kick 名字 移出房间。',
    nameless: '请写明玩家的名字：kick 名字。',
    noneWaits: '没有玩家在等待。',
    unknown: (name) => `没有这个玩家：${name}。`,
    several: (ids) => `有多个同名玩家：请用编号（${ids}）。`,
    approve: (name) => `已同意 ${name} 加入。`,
    refuse: (name) => `已拒绝 ${name}。`,
    kick: (name) => `已移出 ${name}。`,
  },
  unregistered: (name, id) => `? ${name} 已连接但没有玩家，无法进入世界：y ${id} 放行，kick ${id} 移出`,
  secondHost: (name, id) => `? ${name} 也在用这个房间码当房主：kick ${id} 移出`,
  moreUnregistered: (count) => `? 另有 ${count} 个连接没有玩家`,
  shared: (name, where) => `已共享：${name}，${where}`,
  noFreePort: (transport) => `本机不可用（没有空闲的 ${transport} 端口）`,
  proposal: (title, word) => `发现 ${title}。如需共享：--share ${word}`,
  stopping: '正在停止。',
  invitation: (name, game) =>
    `${name === undefined ? '' : `${name} 的`}邀请${game === '' ? '' : `：${game}`}`,
  version: (version) => `版本 ${version}`,
  mods: (count) => (count === 0 ? '没有模组' : `${count} 个模组`),
  gameDiffers: (own, host) => `游戏不一致：这里是${own}，房主是${host}。可能无法进入。`,
  missingHere: (mods) => `这里缺少：${mods}。`,
  missingThere: (mods) => `房主缺少：${mods}。`,
  page: (url) => `房间页面：${url}`,
  pageRuns: '游戏期间请不要关闭此窗口：关闭窗口或按 Ctrl-C 会结束房间。',
  noBrowser: '无法打开浏览器：请在浏览器中打开上面的地址。',
  pressEnter: '按回车键关闭此窗口。',
  looking: '正在检查，需要几秒钟……',
  allWell: '一切正常：你可以与朋友相遇，途径：',
  canMeet: '你可以与朋友相遇，途径：',
  cannotMeet: '现在还不能与朋友相遇：',
  ways: { nodes: '互联网', lan: '局域网' },
  and: '、',
  comma: '、',
  others: (count) => `等另外 ${count} 个`,
  end: '。',
  space: '',
  problems: {},
}

export const TERMINAL_WORDS: Readonly<Record<Language, TerminalWords>> = { en: ENGLISH, 'zh-CN': CHINESE }
