/** Name, type and meaning of a metric, which Prometheus shows. */
export type MetricHead = readonly [name: string, type: 'counter' | 'gauge', help: string]

/**
 * A metric in Prometheus' text format.
 * @param samples the value, or values by what stands in braces behind the name, such as `status="200"`
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function renderMetric(
  [name, type, help]: MetricHead,
  samples: number | ReadonlyMap<string, number>,
): string {
  const lines =
    typeof samples === 'number'
      ? [`${name} ${samples}\n`]
      : [...samples].map(([labels, value]) => `${name}{${labels}} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
