import { createHostNotices } from '#core/room/service/hosting/hostNotices'
import { type Notice, noticeOf } from '#core/room/service/state/notices'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the hints of a host')

test('what concerns the world comes before a full room, which is shown again when that is over', () => {
  const shown: (Notice | null)[] = []
  const notices = createHostNotices((notice) => shown.push(notice))
  const [missing, full] = [noticeOf('world-missing'), noticeOf('room-full')]
  assert.is(notices.current(), null)
  notices.set('room', full)
  notices.set('world', missing)
  assert.is(notices.current(), missing)
  notices.set('world', null)
  notices.set('room', null)
  assert.equal(shown, [full, missing, full, null])
})

test.run()
