/** What JSX of the worker makes, which draws nothing itself: elements as they are written. The build takes it in place of Preact's. */
export function jsx(type: unknown, props: object): object {
  return { type, props }
}

export const jsxs = jsx

export function Fragment({ children }: { readonly children?: unknown }): unknown {
  return children
}
