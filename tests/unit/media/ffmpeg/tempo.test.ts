import { tempo, tempoFilters, tempoLeadSeconds } from '#core/media/ffmpeg/tempo'
import { assert, suite } from '#support/runner/suite'

const test = suite('changing the tempo')

test('filters are chained where one would lose samples', () => {
  assert.equal(tempo(1), [])
  assert.equal(tempo(2), ['asetrate=24000', 'atempo=2.000000000', 'asetrate=48000'])
  assert.equal(tempo(0.5), ['asetrate=24000', 'atempo=0.500000000', 'asetrate=48000'])
  for (const speed of [0.1, 0.3, 0.7, 1.5, 3, 10]) {
    const factors = tempo(speed)
      .flatMap((filter) => /^atempo=(.*)/.exec(filter)?.[1] ?? [])
      .map(Number)
    assert.ok(
      factors.every((factor) => factor >= 0.5 && factor <= 2),
      `${factors}`,
    )
    const product = factors.reduce((all, factor) => all * factor, 1)
    assert.ok(Math.abs(product / speed - 1) < 1e-6, `${product}`)
  }
})

test('each filter of a chain is early by half a window of its own input', () => {
  const half = 1024 / 48_000 / 2
  assert.is(tempoLeadSeconds(1), 0)
  assert.is(tempoLeadSeconds(0.5), half)
  assert.is(tempoLeadSeconds(2), half)
  assert.ok(Math.abs(tempoLeadSeconds(4) - 3 * half) < 1e-9)
  assert.ok(Math.abs(tempoLeadSeconds(0.25) - 1.5 * half) < 1e-9)
})

test('the length is in samples, and silence fills it', () => {
  assert.is(
    tempoFilters(1, 1.5),
    'aresample=48000:async=1:first_pts=0,apad,atrim=end_sample=72000,asetpts=N/SR/TB',
  )
})

test.run()
