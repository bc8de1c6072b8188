/** Logical name of the secret that the stack creates. */
export const TOKEN_SECRET = 'MediaToken'

/** A generated token, for a stack without a configured one. */
export function tokenResources({ token, stage }) {
  if (token !== 'generated') return {}
  const Description = `Bearer token of the motion photo API, stage ${stage}`
  const GenerateSecretString = { PasswordLength: 48, ExcludePunctuation: true, IncludeSpace: false }
  return {
    [TOKEN_SECRET]: {
      Type: 'AWS::SecretsManager::Secret',
      Properties: { Description, GenerateSecretString },
    },
  }
}

export function tokenOutputs({ token }) {
  if (token !== 'generated') return {}
  return { TokenSecret: { Description: 'Secret that holds the bearer token', Value: { Ref: TOKEN_SECRET } } }
}
