import type { FindingId } from '../doctor/diagnosis'
import type { RelayReason } from '../networkStatus'

/** Chinese texts of the findings, which the service words in English: by id, with the subject and the remedy. */
export const FINDINGS_IN_CHINESE: Readonly<
  Record<FindingId, { readonly text: (subject: string) => string; readonly hint?: string }>
> = {
  'node-current': { text: (version) => `Node.js ${version}` },
  'node-old': { text: (version) => `Node.js ${version} 太旧`, hint: '请安装 Node.js 20.19 或更新的版本。' },
  'data-folder-usable': { text: (folder) => `数据文件夹 ${folder}` },
  'data-folder-unusable': {
    text: () => '数据文件夹无法使用',
    hint: '请给当前用户写入权限，或用 DATA_DIR 设置另一个文件夹。',
  },
  'room-port-free': { text: (port) => `端口 ${port} 可用` },
  'room-port-used': { text: (port) => `端口 ${port} 已被占用：会改用下一个空闲端口` },
  'scaffolding-port-free': { text: (port) => `端口 ${port} 可用` },
  'scaffolding-port-used': { text: (port) => `端口 ${port} 已被占用：房主会改用下一个空闲端口` },
  'no-lan-interface': { text: () => '没有局域网接口', hint: '请连接到网络，或更正 ROOM_LAN_INTERFACES。' },
  'multicast-works': { text: (where) => `${where} 上的组播正常` },
  'multicast-fails': {
    text: (where) => `${where} 上的组播不通`,
    hint: '请在防火墙中允许本程序在专用网络上使用 UDP 端口 4445 和 5353；在 macOS 上还要允许“本地网络”。',
  },
  'world-announced': { text: (world) => `找到世界 ${world}` },
  'no-world': { text: () => '局域网中现在没有世界：要创建房间，请先在游戏里对局域网开放' },
  'shared-node-reachable': { text: (url) => `公共节点 ${url} 可用` },
  'shared-node-unreachable': {
    text: (url) => `公共节点 ${url} 连不上`,
    hint: '请检查网络连接和防火墙，或在 ROOM_NODES 中换一个节点。',
  },
  'shared-node-wrong': {
    text: (url) => `${url} 有响应，但不是公共节点`,
    hint: '请在 ROOM_NODES 中换一个节点。',
  },
  'no-shared-node': {
    text: () => '未配置公共节点：只能在同一局域网内联机',
    hint: '请在 ROOM_NODES 中填写公共节点，这样才能通过互联网联机。',
  },
  'no-internet': { text: () => '这台电脑没有连接到互联网', hint: '请先连接网络，然后重新检查。' },
  'wifi-login': {
    text: () => '当前 Wi-Fi 需要先登录才能上网',
    hint: '请先在浏览器中打开任意网页完成 Wi-Fi 登录，然后重新检查。',
  },
  'nat-open': { text: () => '任何人都能直接连接到你' },
  'nat-easy': { text: () => '你几乎能与所有人直连' },
  'nat-hard': { text: () => '除了路由器与你同类的玩家，你都能直连；与他们一起玩时经公共节点转发' },
  'nat-tcp-only': { text: () => 'UDP 没有回应：双方路由器允许时用 TCP 直连，否则经公共节点转发' },
  'nat-blocked': { text: () => 'UDP 没有回应：你会经公共节点连接' },
  'nat-unknown': { text: () => 'STUN 服务器没有响应，路由器类型未知：能否直连要等玩家加入时才知道' },
  'router-opens-ports': { text: (method) => `路由器能用 ${method} 开放端口` },
  'router-opens-no-ports': {
    text: () => '路由器不开放端口：双方路由器都严格时，要经公共节点转发',
    hint: '如果路由器支持 UPnP 或 NAT-PMP，请打开它。',
  },
  'open-room': {
    text: () => '普通房间不保密：公共节点的运营者或在那里监听的人，一小时内就能算出密钥',
    hint: '如果所有玩家都使用本程序，请创建私密房间。',
  },
  'check-failed': {
    text: (check) => `检查“${check}”没有完成`,
    hint: '请再检查一次；如果仍然失败，请把报告发给帮你排查的人。',
  },
}

/** Why a player is reached through a relay only, and what would change that. */
export const RELAYED_IN_CHINESE: Readonly<
  Record<RelayReason, { readonly text: string; readonly hint: string }>
> = {
  searching: { text: '还在尝试直连。', hint: '请稍等几秒；路由器严格时最多一分钟。' },
  'direct-off-here': {
    text: '这台电脑上关闭了直连。',
    hint: '请把 ROOM_DIRECT 设为 on，或启动时不加 --direct off。',
  },
  'direct-off-there': { text: '对方的程序拒绝直连。', hint: '请让对方在程序设置里允许直连。' },
  'no-udp-here': {
    text: '这台电脑收不到 UDP 回应。',
    hint: '请在防火墙中允许本程序使用 UDP，或换一个网络，例如手机热点。',
  },
  'no-udp-there': {
    text: '对方收不到 UDP 回应。',
    hint: '请让对方在防火墙中允许程序使用 UDP，或换一个网络。',
  },
  'strict-routers': {
    text: '双方的路由器都为每个连接更换端口。',
    hint: '请在其中一个路由器上打开 UPnP 或 NAT-PMP，或让一方使用手机热点。',
  },
  'not-found': {
    text: '路由器应当允许直连，但没有成功。',
    hint: '请在双方的防火墙中允许本程序；如果已经允许，请在其中一个路由器上打开 UPnP。',
  },
}
