import { assert, suite } from '#support/runner/suite'
import { renderMetric } from '../../../local-runner/serveMetrics'

const test = suite('Prometheus: text format')

test('a metric has help, type and value', () => {
  assert.is(
    renderMetric(['jobs', 'gauge', 'Jobs that run.'], 3),
    '# HELP jobs Jobs that run.\n# TYPE jobs gauge\njobs 3\n',
  )
})

test('a metric with labels has a line for each of them, and none before there is one', () => {
  const head = ['responses_total', 'counter', 'Responses.'] as const
  const samples = new Map([
    ['status="200"', 5],
    ['status="404"', 1],
  ])
  assert.is(
    renderMetric(head, samples),
    '# HELP responses_total Responses.\n# TYPE responses_total counter\n' +
      'responses_total{status="200"} 5\nresponses_total{status="404"} 1\n',
  )
  assert.is(
    renderMetric(head, new Map()),
    '# HELP responses_total Responses.\n# TYPE responses_total counter\n',
  )
})

test.run()
