import { failureOf, plainPage, webPageResponse } from '@lantern-room/base/http'
import { createTokenBuckets } from '@lantern-room/base/limits'
import type { Context } from 'hono'
import { isCalledByLoopback, isNavigation } from './refuseForeign'
import type { Effect, RoomAppDependencies, RoomRoute } from './roomRoute'

/** A page may lead a browser to many addresses. */
const LOGGED = { perSecond: 1 / 60, burst: 1 }

/** The effect named for POSTs, and for addresses that only foreign pages may not open. */
const ANY_EFFECT: Effect = { en: 'use the room service of this computer', zh: '使用这台电脑上的房间服务' }

/**
 * The response to a browser that was refused what it was led to: a page that says so to the player. It is logged once a minute.
 * @returns undefined for other failures, and for programs
 */
export function createLinkRefusals({ clock, log }: Pick<RoomAppDependencies, 'clock' | 'log'>) {
  const bucket = createTokenBuckets(clock, LOGGED)
  return (thrown: unknown, { req }: Context, route: RoomRoute | undefined): Response | undefined => {
    const { error, status } = failureOf(thrown)
    const { headers } = req.raw
    const takesPage = isNavigation(headers) && req.header('Accept')?.includes('text/html')
    // Under a foreign host name the link on the page would lead nowhere.
    if (error.code !== 'forbidden' || !takesPage || !isCalledByLoopback(headers)) return undefined
    if (bucket.take('links')) {
      log.warn('a link or a web page led a browser to the room service: it was refused', {
        path: route?.contract.path,
      })
    }
    return webPageResponse(pageAbout(effectOf(route)), [], status)
  }
}

function effectOf(route: RoomRoute | undefined): Effect {
  return route?.effect === undefined || route.effect === 'none' ? ANY_EFFECT : route.effect
}

function pageAbout({ en, zh }: Effect) {
  return plainPage(
    'Refused · 已拒绝',
    `<h1>This link was refused</h1>
<p>The address that was opened would <strong>${en}</strong>. Nothing was done.</p>
<p>Anyone can send such a link, so nothing starts or stops because an address is opened in a browser.</p>
<p>If you want it, do it yourself: open <a href="/">the room page</a> and use its buttons. Paste the code from your friend
under “Join a room”.</p>
<div lang="zh-CN">
<h1>此链接已被拒绝</h1>
<p>刚才打开的地址会<strong>${zh}</strong>，已被拒绝，没有执行任何操作。</p>
<p>任何人都能发来这样的链接，所以在浏览器里打开地址不会开始或停止任何东西。</p>
<p>如果这是你想做的，请自己操作：打开<a href="/">房间页面</a>，用上面的按钮；朋友发来的房间码请粘贴到“加入房间”里。</p>
</div>
<p><small>Programs call this address with an HTTP client. · <span lang="zh-CN">程序请用 HTTP 客户端请求此地址。</span></small></p>`,
  )
}
