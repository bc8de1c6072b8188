import { speak, type Words, withNumber, withText } from '../../shared/language'

/** The texts of the players in a room and how they are connected, and of the guests that wait at its door. */
export const playerText = speak({
  players: ['Players', '玩家'],
  playersNone: ['Nobody is here yet.', '还没有人。'],
  HOST: ['Host', '房主'],
  GUEST: ['Guest', '房客'],
  LOCAL: ['You', '你'],
  guests: ['Requests to join', '加入请求'],
  waiting: ['wants to join', '想加入'],
  refused: ['refused', '已拒绝'],
  removed: ['removed', '已移出'],
  unregistered: ['connected without a player', '已连接，但没有玩家'],
  'second-host': ['hosts with this code, too', '也在用这个房间码当房主'],
  group: withNumber(
    (value) => `group ${value}`,
    (value) => `第 ${value} 组`,
  ),
  removeAll: ['Remove all', '全部移出'],
  unregisteredCount: withNumber(
    (value) => `${value} connections`,
    (value) => `${value} 个连接`,
  ),
  letIn: ['Let in', '同意'],
  refuse: ['Refuse', '拒绝'],
  remove: ['Remove', '移出'],
  letInThis: withText(
    (value) => `Let ${value} in`,
    (value) => `同意 ${value} 加入`,
  ),
  refuseThis: withText(
    (value) => `Refuse ${value}`,
    (value) => `拒绝 ${value}`,
  ),
  removeThis: withText(
    (value) => `Remove ${value} from the room`,
    (value) => `将 ${value} 移出房间`,
  ),
  pathDirect: ['direct connection', '直连'],
  pathLan: ['on the local network', '局域网直连'],
  pathRelay: ['through a relay', '经中继转发'],
  pathFriend: ['through another player', '经其他玩家转发'],
  by: withText(
    (value) => `by ${value}`,
    (value) => value,
  ),
  lost: withNumber(
    (value) => `${Math.round(value)} % lost`,
    (value) => `丢包 ${Math.round(value)}%`,
  ),
  sends: withNumber(
    (value) => `↑ ${(value / 1000).toFixed(1)} kB/s`,
    (value) => `↑ ${(value / 1000).toFixed(1)} kB/s`,
  ),
  receives: withNumber(
    (value) => `↓ ${(value / 1000).toFixed(1)} kB/s`,
    (value) => `↓ ${(value / 1000).toFixed(1)} kB/s`,
  ),
} satisfies Record<string, Words>)
