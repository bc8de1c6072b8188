import { type Words, withNumber } from '#core/language'

/** What is going on, how far it is, and how to end it: for the page's status panel and the terminal. */
export const STATUS_WORDS = {
  sentenceLoading: ['Asking the service …', '正在连接服务……'],
  sentenceIdle: ['Play together: open a room, or join one.', '一起玩吧：创建房间，或加入朋友的房间。'],
  sentenceScanning: ['Looking for your world …', '正在寻找你的世界……'],
  sentenceOpening: ['Opening the room …', '正在创建房间……'],
  sentenceHosting: ['Your room is open. Send the code to your friends.', '房间已创建，把房间码发给朋友吧。'],
  sentenceHostingNoWorld: [
    'Your room is open, but there is no world in it yet.',
    '房间已创建，但里面还没有世界。',
  ],
  sentenceConnecting: ['Connecting to the network …', '正在连接网络……'],
  sentenceFinding: ['Looking for your friend’s room …', '正在寻找朋友的房间……'],
  sentenceForward: ['Found the room, connecting to the world …', '已找到房间，正在连接世界……'],
  sentenceAwaitingApproval: ['Waiting for the host to let you in …', '正在等待房主同意你加入……'],
  sentenceReconnecting: ['The connection was lost. Trying to get it back …', '连接断开了，正在重新连接……'],
  sentenceInside: [
    'You are in. Open Multiplayer in the game: the world is in the list.',
    '已加入！在游戏里打开“多人游戏”，世界就在列表中。',
  ],
  sentenceStopping: ['Closing …', '正在关闭……'],
  away: [
    'The program does not answer; it may have been closed. This page goes on once it is started again.',
    '联机程序没有响应，可能已关闭。重新启动后本页会自动恢复。',
  ],

  // The bar of steps.
  steps: ['Progress', '进度'],
  scanning: ['Find the world', '寻找世界'],
  opening: ['Open the room', '创建房间'],
  ready: ['Ready', '就绪'],
  connecting: ['Connect', '连接网络'],
  finding: ['Find the host', '寻找房主'],
  forward: ['Reach the world', '连接世界'],
  inside: ['In the room', '已加入'],
  stepDone: ['done', '已完成'],
  stepCurrent: ['in progress', '进行中'],
  stepFailed: ['failed', '失败'],
  stepAhead: ['not yet', '未开始'],
  seconds: withNumber(
    (value) => `${value.toFixed(1)} s`,
    (value) => `${value.toFixed(1)} 秒`,
  ),

  // How to end it.
  closeRoom: ['Close the room', '关闭房间'],
  leaveRoom: ['Leave the room', '退出房间'],
  cancel: ['Cancel', '取消'],

  // How hard direct connections are here.
  UNKNOWN: ['Not known yet how hard a direct connection is.', '尚不清楚能否直连。'],
  EASIEST: ['A direct connection will work.', '可以直连。'],
  SIMPLE: ['A direct connection should work.', '应当可以直连。'],
  MEDIUM: ['A direct connection may take a while.', '直连可能需要一点时间。'],
  TOUGH: ['A direct connection is hard; a relay helps out.', '直连比较困难，将由中继协助。'],

  // What this computer carries for other players.
  offered: [
    'Players who find no direct path to each other may play through this computer.',
    '无法直连的玩家可以经由本机联机。',
  ],
  carrying: [
    'Players who have no direct path to each other play through this computer.',
    '无法直连的玩家正在经由本机联机。',
  ],
  'no-public-address': [
    'This computer does not carry for others: it has no public address and no open port of the router.',
    '本机没有公网地址，路由器也未开放端口，因此不为他人转发。',
  ],
  'direct-off': [
    'This computer does not carry for others: direct connections are switched off.',
    '直连已关闭，因此本机不为他人转发。',
  ],
} as const satisfies Record<string, Words>
