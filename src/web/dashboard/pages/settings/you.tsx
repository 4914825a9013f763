import { useState } from 'react';
import { useChange } from '../../data/use-api.ts';
import { useOperator } from '../../shell/session.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';

/** The signed-in operator's own name, e-mail address and password. */
export function You() {
  const operator = useOperator();
  const [name, setName] = useState(operator.name);
  const [email, setEmail] = useState(operator.email ?? '');
  const [password, setPassword] = useState('');
  const [currentPassword, setCurrentPassword] = useState('');
  const save = useChange('updateSelf', {
    done: password === '' ? 'Saved' : 'Saved. All your other sessions have ended.',
    onDone() {
      setPassword('');
      setCurrentPassword('');
    },
    quiet: true,
  });
  const body = {
    name,
    ...(email === (operator.email ?? '') ? {} : { email: email || null }),
    ...(password === '' ? {} : { password }),
    ...(currentPassword === '' ? {} : { currentPassword }),
  };
  return (
    <div className="max-w-md">
      <Form action="Save" busy={save.isPending} error={save.error} onSend={() => save.mutate({ body })}>
        <Field
          label="Name"
          required
          autoComplete="name"
          value={name}
          onText={setName}
          problem={problemOf(save.error, 'name')}
        />
        <Field
          label="E-mail address"
          type="email"
          autoComplete="username"
          value={email}
          onText={setEmail}
          problem={problemOf(save.error, 'email')}
        />
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          value={password}
          onText={setPassword}
          hint={
            operator.hasPassword
              ? 'Leave empty to keep the current one.'
              : 'At least 10 characters. Then you can sign in with it and your e-mail address.'
          }
          problem={problemOf(save.error, 'password')}
        />
        {operator.hasPassword && (
          <Field
            label="Current password"
            type="password"
            autoComplete="current-password"
            value={currentPassword}
            onText={setCurrentPassword}
            hint="To change the e-mail address or the password."
            problem={problemOf(save.error, 'currentPassword')}
          />
        )}
      </Form>
    </div>
  );
}
