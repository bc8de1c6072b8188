/** What the game itself says to players of a room, most of all to those with offline accounts, why, and what helps. */

/** In English and Chinese. */
type Words = readonly [en: string, zh: string]

export type GameRefusal = { readonly says: Words; readonly help: Words }

export const GAME_REFUSALS: Readonly<Record<'session' | 'inventory' | 'playing', GameRefusal>> = {
  session: {
    says: [
      'The game says “Invalid session” or “Failed to verify username”',
      '游戏提示“无效会话”或“登录失败：无法验证用户名”',
    ],
    help: [
      'The world checks accounts with Mojang, which offline accounts do not pass. The host has to switch that off: in a LAN world by a mod such as “Custom LAN” or “LAN World Plug-n-Play”, on a server by online-mode=false. Players with a bought account restart the game and the launcher first.',
      '世界会向 Mojang 验证账号，离线账号无法通过。请房主关闭验证：局域网世界用模组（如“Custom LAN”“LAN World Plug-n-Play”），服务器设置 online-mode=false。正版账号请先重启游戏和启动器。',
    ],
  },
  inventory: {
    says: ['Your inventory is empty, or not yours', '背包是空的，或不是自己的'],
    help: [
      'Without that check the game knows players by their name alone, with it by their account: after a change of name or of the check you are another player. Come with the name and account as before, and everything is back.',
      '关闭验证后，游戏只按名字识别玩家；开启验证时按账号识别。换了名字或验证方式，就是另一个玩家。用原来的名字和账号进入，物品就会回来。',
    ],
  },
  playing: {
    says: [
      'The game says “already playing” or “logged in from another location”',
      '游戏提示“已在游戏中”或“在其他地点登录”',
    ],
    help: [
      'Two players have the same name in the game, or your last connection is not over yet: choose different names in the launcher, or try again after half a minute.',
      '有两个玩家在游戏里同名，或上一次连接还没有结束：请在启动器里改成不同的名字，或等半分钟再试。',
    ],
  },
}
