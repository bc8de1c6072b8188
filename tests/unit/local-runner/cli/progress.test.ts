import { assert, suite } from '#support/runner/suite'
import { createProgress, type ProgressScreen } from '../../../../local-runner/cli/progress'

const test = suite('progress on the command line')

function open(screen: Partial<ProgressScreen>) {
  const written: string[] = []
  const progress = createProgress({
    write: (text) => written.push(text),
    isTerminal: true,
    hasColour: false,
    columns: () => 40,
    ...screen,
  })
  return { progress, written }
}

test('on a terminal one line is drawn over and over, and wiped away', () => {
  const { progress, written } = open({})
  progress.stage('reading', 'a.mp4')
  progress.stage('preparing')
  progress.share(0)
  progress.share(0.5)
  progress.share(1)
  progress.stage('writing')
  progress.end()
  assert.equal(written, [
    '\x1b[?25l\rreading\x1b[K',
    '\rpreparing\x1b[K',
    '\rpreparing    0 % [--------------------]\x1b[K',
    '\rpreparing   50 % [##########----------]\x1b[K',
    '\rpreparing  100 % [####################]\x1b[K',
    '\rwriting\x1b[K',
    '\r\x1b[K\x1b[?25h',
  ])
})

test('the line always fits, whatever the width of the window', () => {
  for (let columns = 0; columns < 120; columns++) {
    const { progress, written } = open({ columns: () => columns })
    progress.stage('converting')
    for (const share of [-1, 0, 0.333, 1, 7]) progress.share(share)
    const lines = written.map((text) => text.replace(/\x1b\[(\?25l|K)|\r/g, ''))
    for (const line of lines) assert.ok(line.length <= Math.max(0, columns - 1), `${columns}: ${line}`)
    assert.ok(lines.every((line) => !line.includes('\x1b')))
  }
})

test.run()
