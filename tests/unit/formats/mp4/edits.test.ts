import { editedSeconds, presentationStart } from '#core/formats/mp4/track'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('edit lists')

const empty = { durationSeconds: 0.25, mediaTime: undefined }
const shown = { durationSeconds: 2, mediaTime: 512 }

test('all edits count, empty ones as well', () => {
  assert.is(editedSeconds([]), 0)
  assert.is(editedSeconds([empty, shown, empty]), 2.5)
})

test('the presentation starts at the first samples, after the empty edits before them', () => {
  assert.equal(presentationStart([]), { emptySeconds: 0, mediaTime: 0 })
  assert.equal(presentationStart([shown, empty]), { emptySeconds: 0, mediaTime: 512 })
  assert.equal(presentationStart([empty, empty, shown, empty, { ...shown, mediaTime: 9 }]), {
    emptySeconds: 0.5,
    mediaTime: 512,
  })
})

test('a list of empty edits alone has nothing to wait for', () => {
  assert.equal(presentationStart([empty, empty]), { emptySeconds: 0, mediaTime: 0 })
})

test.run()
