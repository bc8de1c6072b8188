import { speak, type Words, withNumber, withText } from '../../shared/language'

/** The texts of the room page, but those of its status panel and of the players. */
export const say = speak({
  title: ['Lantern Room', '灯笼房间'],
  footer: [
    'Everything stays between you and your friends: this page talks to the program on this computer only.',
    '一切只在你和朋友之间：本页面只与这台电脑上的程序通信。',
  ],

  // The first page.
  firstTitle: ['How it works', '怎么玩'],
  first1: [
    'Open your world to LAN in the game (since 26.2: Multiplayer Options).',
    '在游戏里把世界“对局域网开放”（26.2 起：“多人游戏选项”）。',
  ],
  first2: ['Press “Open a room” here.', '在这里按“创建房间”。'],
  first3: [
    'Send the code to your friends: they paste it here and join.',
    '把房间码发给朋友，朋友粘贴后即可加入。',
  ],
  playerName: ['Your name', '你的名字'],
  playerNameHint: ['This is how others see you.', '其他玩家会看到这个名字。'],
  hostTitle: ['Open a room', '创建房间'],
  hostText: ['For a world on this computer.', '适用于在这台电脑上的世界。'],
  hostButton: ['Open a room', '创建房间'],
  worlds: ['Worlds on this network', '局域网中的世界'],
  worldsNone: [
    'No world found yet. Open one to LAN in the game; it appears here.',
    '还没有找到世界。请在游戏里对局域网开放，它会出现在这里。',
  ],
  worldElsewhere: ['On another computer: open the room there.', '在另一台电脑上：请在那台电脑上创建房间。'],
  worldUnverified: ['It does not answer like a game.', '它的响应不像游戏服务器。'],
  worldFound: ['Found on this computer.', '在这台电脑上找到。'],
  worldPlayers: withText(
    (value) => `${value} players`,
    (value) => `${value} 名玩家`,
  ),
  worldVersion: withText(
    (value) => `Version ${value}`,
    (value) => `版本 ${value}`,
  ),
  manual: ['My world is not in the list', '列表里没有我的世界'],
  manualPort: ['Port of the world', '世界的端口'],
  manualHint: [
    'The game shows it in the chat after “Open to LAN”. Bedrock worlds: a dedicated server (19132), or Geyser; from 1.26.50 on the game itself speaks NetherNet, which no room carries.',
    '对局域网开放后，游戏聊天栏会显示端口号。基岩版：请用专用服务器（19132）或 Geyser；1.26.50 起游戏本身使用 NetherNet，房间无法转发。',
  ],
  manualUse: ['Use this port', '使用此端口'],
  portOwn: [
    'This port is used by Lantern Room itself, which friends must not reach: enter the port of your world.',
    '这个端口由灯笼房间自己使用，不能开放给朋友：请填写你的世界的端口。',
  ],
  portWrong: ['A port is a whole number from 1 to 65535.', '端口是 1 到 65535 之间的整数。'],
  private: ['Private room', '私密房间'],
  privateHint: ['Only friends who use this program too can join.', '只有同样使用本程序的朋友才能加入。'],
  approval: ['Ask me before a friend comes in', '有人加入前先问我'],
  approvalHint: ['Friends wait until you let them in.', '朋友需要等你同意后才能进入。'],
  joinTitle: ['Join a room', '加入房间'],
  joinText: ['With the code that a friend sent you.', '使用朋友发来的房间码。'],
  joinCode: ['Room code', '房间码'],
  joinHint: [
    'You can paste the whole message; the code is found in it.',
    '可以粘贴整条消息，房间码会自动识别。',
  ],
  joinFound: withText(
    (value) => `Code found: ${value}`,
    (value) => `已识别房间码：${value}`,
  ),
  joinInvitation: ['Invitation found.', '已识别邀请链接。'],
  joinButton: ['Join', '加入'],

  // In the room.
  codeTitle: ['Room code', '房间码'],
  invitation: ['Link and QR code', '链接与二维码'],
  qr: ['QR code of the invitation', '邀请二维码'],
  copyLink: ['Copy the link', '复制链接'],
  copy: ['Copy the code', '复制房间码'],
  copied: ['Copied', '已复制'],
  copyFailed: [
    'Copying was not allowed: select the code and copy it.',
    '浏览器不允许复制：请手动选中并复制。',
  ],
  addressTitle: ['Address in the game', '游戏内地址'],
  addressText: [
    'If the world is not in the list, connect to this address.',
    '如果列表里没有这个世界，请直接连接此地址。',
  ],
  copyAddress: ['Copy the address', '复制地址'],
  gameHelp: ['The game does not let somebody in?', '游戏不让人进？'],
  retry: ['Try again', '重试'],
  back: ['Back', '返回'],
  newHostText: [
    'Has your friend told you that they host from another computer now? Then you can join it, and it is known from then on.',
    '朋友是否亲口说过换了电脑当房主？确认后即可加入，以后会信任这台电脑。',
  ],
  newHostButton: ['Join the new host', '加入新的房主'],

  network: ['Networks and relays', '网络与中继'],
  networkOpen: [
    'Ordinary room: players of HMCL, PCL CE and Terracotta can join, too.',
    '普通房间：HMCL、PCL CE、陶瓦联机的玩家也能加入。',
  ],
  networkPrivate: ['Private room: only this program can join.', '私密房间：只有本程序可以加入。'],
  networkNone: [
    'No shared node is configured: players meet on the local network only.',
    '未配置公共节点：只能在同一局域网内联机。',
  ],
  ms: withNumber(
    (value) => `${Math.round(value)} ms`,
    (value) => `${Math.round(value)} 毫秒`,
  ),
  networkCheck: ['Check again', '重新检查'],
  networkChecking: ['Checking …', '正在检查……'],
  connecting: ['Connect', '连接网络'],
  connected: ['connected', '已连接'],
  failed: ['not reachable', '无法连接'],
  ok: ['reachable', '可用'],
  unknown: ['not checked', '未检查'],

  doctor: ['Troubleshooting', '排查问题'],
  doctorLook: ['Check this computer', '检查这台电脑'],
  doctorLooking: ['Checking, which takes a few seconds …', '正在检查，需要几秒钟……'],
  doctorCanMeet: ['You can meet your friends from this computer.', '这台电脑可以和朋友联机。'],
  doctorCannotMeet: [
    'You cannot meet your friends yet: see what has failed below.',
    '现在还不能和朋友联机：请看下面没有通过的项目。',
  ],
  findingOk: ['fine', '正常'],
  findingNote: ['note', '提示'],
  findingFailed: ['failed', '未通过'],
  reportSave: ['Save a report', '保存报告'],
  reportHint: [
    'To send to someone who helps you. Room codes, tokens and public addresses are left out.',
    '可以发给帮你排查的人。其中不含房间码、令牌和互联网地址。',
  ],

  log: ['Log', '日志'],
  logLevel: ['Show from', '级别'],
  logAll: ['Everything', '全部'],
  logWarnings: ['Warnings', '警告'],
  logErrors: ['Errors', '错误'],
  logFilter: ['Filter', '筛选'],
  logPause: ['Pause', '暂停'],
  logGo: ['Continue', '继续'],
  logDownload: ['Download', '下载'],
  logDownloadHint: [
    'Room codes are shortened in it, so it can be shared.',
    '其中的房间码已隐去，可以放心分享。',
  ],
  logNone: ['Nothing to show.', '没有内容。'],
} satisfies Record<string, Words>)
