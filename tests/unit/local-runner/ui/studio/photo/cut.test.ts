import { assert, suite } from '#support/runner/suite'
import {
  boundsOf,
  firstCut,
  frameOfTime,
  lengthOf,
  move,
  moveRange,
  shownBytes,
  shownTime,
  stepOf,
  viewAround,
} from '../../../../../../local-runner/ui/studio/photo/cut'

const test = suite('a cut of a preview')

const CUT = { start: 30, end: 90, cover: 60 }

test('a new cut has three seconds, or all of a shorter video', () => {
  assert.equal(firstCut(300), { start: 0, end: 90, cover: 45 })
  assert.equal(firstCut(20), { start: 0, end: 20, cover: 10 })
})

test('a handle moves alone and stays in the video and away from the other end', () => {
  assert.equal(move(CUT, 'start', 10.4, 120), { start: 10, end: 90, cover: 60 })
  assert.is(move(CUT, 'start', -5, 120).start, 0)
  assert.is(move(CUT, 'start', 100, 120).start, 87)
  assert.is(move(CUT, 'end', 500, 120).end, 120)
  assert.is(move(CUT, 'end', 0, 120).end, 33)
})

test('the cover stays inside the range, also when an end passes it', () => {
  assert.is(move(CUT, 'cover', 500, 120).cover, 89)
  assert.is(move(CUT, 'cover', 0, 120).cover, 30)
  assert.is(move(CUT, 'start', 80, 120).cover, 80)
  assert.is(move(CUT, 'end', 40, 120).cover, 39)
})

test('a range moves as a whole and stays in the video', () => {
  assert.equal(moveRange(CUT, 40.4, 120), { start: 40, end: 100, cover: 70 })
  assert.equal(moveRange(CUT, -5, 120), { start: 0, end: 60, cover: 30 })
  assert.equal(moveRange(CUT, 500, 120), { start: 60, end: 120, cover: 90 })
})

test('beside the whole of a long video the range and three seconds around it are shown', () => {
  assert.is(viewAround(CUT, 600), undefined)
  assert.equal(viewAround(CUT, 601), { from: 0, to: 180 })
  assert.equal(viewAround({ start: 500, end: 590, cover: 500 }, 601), { from: 410, to: 601 })
})

test('moments are read as people type them', () => {
  const read = ['2', '1:02.5', '1：02.5', '1:00:00', ' 0.1 ', '', 'x', '1:', '-1'].map(frameOfTime)
  assert.equal(read, [60, 1875, 1875, 108_000, 3, undefined, undefined, undefined, undefined])
})

test('a video of fewer frames than a range needs stays whole', () => {
  assert.equal(boundsOf(firstCut(2), 'start', 2), [0, 0])
  assert.equal(boundsOf(firstCut(2), 'end', 2), [2, 2])
})

test('keys move by one frame, by ten with Shift, by a second, to the ends', () => {
  assert.is(stepOf('ArrowLeft', false), -1)
  assert.is(stepOf('ArrowRight', true), 10)
  assert.is(stepOf('PageUp', false), 30)
  assert.is(stepOf('Home', false), 'least')
  assert.is(stepOf('End', false), 'most')
  assert.is(stepOf('a', false), undefined)
})

test('the length follows the speed', () => {
  assert.is(lengthOf(CUT, 2), 1)
})

test('bytes', () => {
  const shown = [0, 999, 1000, 9949, 12_345, 999_400, 1_000_000, 1_936_595, 52_000_000].map(shownBytes)
  assert.equal(shown, ['0 B', '999 B', '1.0 kB', '9.9 kB', '12 kB', '999 kB', '1.0 MB', '1.9 MB', '52 MB'])
})

test('times', () => {
  assert.equal(
    [0, 3.04, 9.96, 59.96, 61.5, 600].map((seconds) => shownTime(seconds)),
    ['0:00.0', '0:03.0', '0:10.0', '1:00.0', '1:01.5', '10:00.0'],
  )
  assert.equal([shownTime(1798, 0, true), shownTime(3600), shownTime(7, 0)], ['0:29:58', '1:00:00.0', '0:07'])
})

test.run()
