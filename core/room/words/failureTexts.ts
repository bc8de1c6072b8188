import type { FailureCode } from '../failure'
import type { RoomCodeProblem } from '../readRoomCode'
import type { NoticeCode } from '../service/state/notices'

/** Chinese texts of the failures, which the service words in English: by code, the sentence and the remedy. */
export const FAILURES_IN_CHINESE: Readonly<
  Record<FailureCode, { readonly error: string; readonly hint: string }>
> = {
  'host-not-found': {
    error: '在网络中找不到这个房间。',
    hint: '请问问朋友房间是否还开着，并核对房间码，然后重试。',
  },
  'host-unreachable': {
    error: '找到了房间，但房主没有响应。',
    hint: '请让朋友重新创建房间，然后重试。',
  },
  'wrong-room': {
    error: '房间码的后半部分与这个房间不符。',
    hint: '请向朋友重新要一次房间码。',
  },
  'room-full': {
    error: '房间已满。',
    hint: '请等有玩家离开后再试。',
  },
  refused: {
    error: '房主没有让你加入。',
    hint: '请让朋友允许你加入：房主能看到谁想加入，也可以按名字放行。',
  },
  removed: {
    error: '房主把你移出了房间。',
    hint: '请问问朋友这是不是有意的。',
  },
  'own-room': {
    error: '这是你自己创建的房间。',
    hint: '不需要加入自己的房间：直接在你的世界里玩，把房间码发给朋友即可。',
  },
  'several-hosts': {
    error: '有两位房主在用同一个房间码。',
    hint: '请让其中一人停止，并创建新的房间。',
  },
  'connection-lost': {
    error: '与房间的连接断开了。',
    hint: '请检查网络连接，并确认房间是否还开着，然后重试。',
  },
  'room-closed': {
    error: '房主关闭了房间。',
    hint: '请问问朋友是否会重新创建房间，然后用原来的或新的房间码加入。',
  },
  'no-relay-reachable': {
    error: '连不上任何公共节点。',
    hint: '请检查网络和防火墙，或换一个公共节点，然后重试。',
  },
  'no-internet': {
    error: '这台电脑没有连接到互联网。',
    hint: '请先连接网络，然后重试。',
  },
  'wifi-login': {
    error: '当前 Wi-Fi 需要先登录才能上网。',
    hint: '请先在浏览器中打开任意网页完成 Wi-Fi 登录，然后重试。',
  },
  'network-failed': {
    error: '虚拟网络出错了。',
    hint: '请重新开始；如果仍然失败，请把日志发给启动器的作者。',
  },
  'port-in-use': {
    error: '需要的端口被其他程序占用了。',
    hint: '请关闭占用端口的程序，或换一个端口，然后重试。',
  },
  'game-gone': {
    error: '世界已经没有响应了。',
    hint: '请在游戏里重新“对局域网开放”，然后再次创建房间。',
  },
  'game-not-started': {
    error: '朋友还没有把世界对局域网开放。',
    hint: '请让朋友开放世界，然后重试。',
  },
  'fingerprint-mismatch': {
    error: '对方运行的不是这一类房间。',
    hint: '请让朋友更新并重启启动器。',
  },
  'not-encrypted': {
    error: '房主的程序没有按私密房间的方式加密。',
    hint: '请让朋友更新程序，然后重试。',
  },
  'host-changed': {
    error: '用这个房间码应答的不是原来的房主。',
    hint: '朋友换了电脑当房主，或者有人冒充：请向朋友要一个邀请链接。',
  },
  'invalid-response': {
    error: '无法理解房主的响应。',
    hint: '请让朋友更新启动器。',
  },
  internal: {
    error: '出现了意外错误。',
    hint: '请重试；如果仍然失败，请把日志发给启动器的作者。',
  },
}

export const CODE_PROBLEMS_IN_CHINESE: Readonly<Record<RoomCodeProblem, string>> = {
  empty: '请输入朋友发给你的房间码，形如 U/XXXX-XXXX-XXXX-XXXX。',
  prefix: '房间码以 “U/” 或 “L/” 开头：请从那里开始完整复制。',
  length: '“U/” 或 “L/” 后面应有 16 个字母和数字：请完整复制房间码，不多也不少。',
  groups: '房间码由四组字符组成，每组四个，用连字符隔开，例如 U/XXXX-XXXX-XXXX-XXXX。',
  character: '房间码只含字母和数字：请改掉其他字符。',
  checksum: '房间码中至少有一个字符不对：请与朋友看到的房间码核对。',
  'unsupported-format': '这是另一种房间的房间码：请向朋友要一个形如 U/XXXX-XXXX-XXXX-XXXX 的房间码。',
}

/** Texts of a room that is waiting for its player or for another one. */
export const NOTICES_IN_CHINESE: Readonly<Record<NoticeCode, string>> = {
  'open-world':
    '请在游戏里把世界“对局域网开放”（Minecraft 26.2 起：暂停菜单里的“多人游戏选项”）：找到后会自动创建房间。',
  'bedrock-world':
    '请打开基岩版世界：一有响应就会自动创建房间。基岩版 1.26.50 起，游戏本身在局域网上使用 NetherNet，房间无法转发：请使用专用服务器（BDS，使用 RakNet），或带 Geyser 的 Java 版世界。',
  'world-found':
    '在这台电脑上找到一个没有公布的世界。如果那是你的世界，请在列表里选择它；未经你选择，不会共享。',
  'worlds-found': '在这台电脑上找到多个没有公布的世界：请在列表里选择你的世界；未经你选择，不会共享。',
  'open-world-on-port': '请在你选定的端口上打开世界：一有响应就会自动创建房间。',
  'world-unverified':
    '有程序在本机公布了一个世界，但它的响应不像游戏服务器，所以不会自动共享：如果那是你的世界，请在列表里选择它；否则请把世界对局域网开放。',
  'own-port': '你共享的某个端口现在被本程序自己占用，没有共享：请为要共享的程序换一个端口。',
  'world-missing': '房间已创建，但还没有你的世界：请把它对局域网开放，或在你选定的端口上打开。',
  'world-lost':
    '你的世界没有响应了：请在一分钟内重新打开它，或选择另一个世界；未经你选择，不会共享别的世界。',
  'room-full': '房间的位置已全部占满。请移出你不认识的玩家或连接：同一组来自同一个地址，或经由同一个中继。',
  'same-names':
    '房间里有同名的玩家：如果他们在游戏里的名字也相同，游戏只让其中一个进入（“已在游戏中”）：请其中一人改名。',
  'awaiting-approval': '房主会看到你的请求，请稍等。',
  'awaiting-room': '正在等朋友创建房间：创建后你会自动加入。',
  'awaiting-path': '已找到朋友的房间，正在建立连接，最多可能需要一分钟。',
  'awaiting-world': '房间已创建，但世界还没有：请让朋友把世界对局域网开放。',
  'world-closed': '世界已关闭：请让朋友重新开放。',
  'other-host': '有别的玩家在用这个房间码响应，但不是你认识的房主。正在等待房主回来。',
  'several-hosts':
    '有多位房主在用同一个房间码，你加入的是最先响应的那个。如果不是你要找的房主，请向朋友要一个邀请链接。',
  'second-host':
    '有别的成员也在用你的房间码当房主，朋友可能会进到那边。请让对方停止并加入你的房间，或将其移出，然后把邀请链接发给朋友：通过链接只会进入你的房间。',
}
