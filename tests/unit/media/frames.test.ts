import { isTooLate, seekTries } from '#core/media/frames'
import { assert, suite } from '#support/runner/suite'

const test = suite('seeking in uploads')

test('a picture is looked for at its own time, then earlier, then from the beginning', () => {
  assert.equal(seekTries(900), [30, 20, 0])
  assert.equal(seekTries(150), [5, 0])
  assert.equal(seekTries(0), [0])
})

test('whether the first picture came too late', () => {
  const said = (time: string) =>
    `[Parsed_showinfo_8 @ 0x5] config in time_base: 1/600, frame_rate: 30/1\n[Parsed_showinfo_8 @ 0x5] n:   0 pts:     60 pts_time:${time}     pos:  1 fmt:yuv420p`
  assert.not.ok(isTooLate(said('0'), 0))
  assert.not.ok(isTooLate(said('1.99'), 60))
  assert.not.ok(isTooLate(said('2.01'), 60), 'it is rounded to the frame')
  assert.ok(isTooLate(said('2.02'), 60))
  assert.not.ok(isTooLate(said('-0.5'), 0))
  assert.not.ok(isTooLate('nothing was said', 0))
})

test.run()
